import { NodeConnectionTypes, updateDisplayOptions } from 'n8n-workflow';
import type { ExpressionString, INodeProperties } from 'n8n-workflow';

import { linkOperation } from './actions/createHostedLink/createHostedLink.operation';
import { downloadOperation } from './actions/downloadFiles/downloadFiles.operation';
import { scanOperation } from './actions/scan/scan.operation';
import { waitOperation } from './actions/waitForResult/waitForResult.operation';
import { WAITING_OUTPUTS } from './actions/waitForResult/waitingOutputs';
import type { Operation } from './operation';
import { SENDING_OPTIONS, branchField } from './parameters/sharedFields';
import { DECISION_OUTPUTS } from './result/outputs';

/** Selector, visibility and outputs derive from this list. */
export const OPERATIONS: readonly Operation[] = [
	linkOperation,
	downloadOperation,
	scanOperation,
	waitOperation,
];

/** n8n names a new node after its action only where the operation belongs to a resource. */
export const RESOURCE = 'verification';

/** The line below the node on the canvas: the operation by its label. */
export function operationSubtitle(): string {
	const labels = OPERATIONS.map(({ choice }) => [choice.value, choice.name]);
	return `={{ ${JSON.stringify(Object.fromEntries(labels))}[$parameter["operation"]] }}`;
}

/** The action node's outputs: one per decision if the operation has them, or one. */
export function operationOutputs(): ExpressionString {
	const namesOf = (isMeant: (operation: Operation) => boolean) =>
		JSON.stringify(OPERATIONS.filter(isMeant).map(({ choice }) => choice.value));
	const waiting = namesOf(({ kind }) => kind === 'wait');
	const branching = namesOf(({ branches }) => branches === true);
	const isBranched = `${branching}.includes($parameter.operation) && $parameter.${branchField.name} !== false`;
	const waitingOutputs = JSON.stringify(WAITING_OUTPUTS);
	const decisionOutputs = JSON.stringify(DECISION_OUTPUTS);
	const single = JSON.stringify([NodeConnectionTypes.Main]);
	return `={{ ${waiting}.includes($parameter.operation) ? ${waitingOutputs} : ${isBranched} ? ${decisionOutputs} : ${single} }}`;
}

/** The parameters of the action node: the selector, and what each operation shows. */
export function operationFields(): INodeProperties[] {
	return [
		{
			displayName: 'Resource',
			name: 'resource',
			type: 'hidden',
			noDataExpression: true,
			options: [{ name: 'Verification', value: RESOURCE }],
			default: RESOURCE,
		},
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [RESOURCE] } },
			options: OPERATIONS.map(({ choice, toolDescription }) =>
				toolDescription ? choice : { ...choice, displayOptions: { hide: { '@tool': [true] } } },
			),
			default: 'scan',
		},
		...OPERATIONS.flatMap((operation) =>
			updateDisplayOptions({ show: { operation: [operation.choice.value] } }, [
				...toolDescriptionFields(operation),
				...operation.parameters,
				...optionsFields(operation),
			]),
		),
	];
}

/**
 * Replaces n8n's own field, which would contain the node's description whatever the operation is.
 */
function toolDescriptionFields({ toolDescription }: Operation): INodeProperties[] {
	if (!toolDescription) return [];
	return [
		{
			displayName: 'Tool Description',
			name: 'toolDescription',
			type: 'string',
			typeOptions: { rows: 6 },
			default: toolDescription,
			placeholder: 'e.g. Checks the identity document of the applicant. Call it once.',
			description: 'Tells the model what this tool does and when to use it',
			displayOptions: { show: { '@tool': [true] } },
		},
	];
}

function optionsFields({ options }: Operation): INodeProperties[] {
	if (!options) return [];
	return [
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [...options, ...SENDING_OPTIONS].sort((a, b) =>
				a.displayName.localeCompare(b.displayName),
			),
		},
	];
}
