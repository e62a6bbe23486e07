import { updateDisplayOptions } from 'n8n-workflow';
import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import type { Operation } from './operation';
import { positiveNumber } from './parameters';

const DEFAULT_PARALLEL = 5;

const timeoutOption: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: 120,
	description:
		'How long the service may take to answer. A request that runs into it may have been charged.',
};

const sharedOptions: INodeProperties[] = [
	{
		displayName: 'Max Parallel Requests',
		name: 'maxParallelRequests',
		type: 'number',
		noDataExpression: true,
		typeOptions: { minValue: 1 },
		default: DEFAULT_PARALLEL,
		description: 'How many items are worked on at the same time',
	},
	timeoutOption,
];

/** The line below the node on the canvas: the operation by its label. */
export function operationSubtitle(operations: readonly Operation[]): string {
	const labels = operations.map(({ option }) => [option.value, option.name]);
	return `={{ ${JSON.stringify(Object.fromEntries(labels))}[$parameter["operation"]] }}`;
}

/** The parameters of the action node: the selector, and what each operation shows. */
export function operationFields(operations: readonly Operation[]): INodeProperties[] {
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			options: operations.map(({ option, toolDescription }) =>
				toolDescription ? option : { ...option, displayOptions: { hide: { '@tool': [true] } } },
			),
			default: 'scan',
		},
		...operations.flatMap((operation) =>
			updateDisplayOptions({ show: { operation: [operation.option.value] } }, [
				...toolDescriptionFields(operation),
				...operation.fields,
				optionsField(operation),
			]),
		),
	];
}

/**
 * n8n adds such a parameter to tools itself; for a node without resources it has the node's
 * description, whatever the operation is.
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
			description: 'What the model is told of this tool, and so when it uses it',
			displayOptions: { show: { '@tool': [true] } },
		},
	];
}

/** How many items are worked on at the same time. */
export function readParallel(context: IExecuteFunctions): number {
	const value = Number(
		context.getNodeParameter('options.maxParallelRequests', 0, DEFAULT_PARALLEL),
	);
	// Not thrown: it concerns no item, and it's a matter of speed alone.
	return value >= 1 ? value : DEFAULT_PARALLEL;
}

/**
 * How long the service may stay silent, in milliseconds.
 * @throws NodeOperationError when it's no number
 */
export function readTimeoutMs(context: IExecuteFunctions): number {
	return positiveNumber(context, 0, timeoutOption) * 1_000;
}

function optionsField({ options }: Operation): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [...options, ...sharedOptions].sort((a, b) =>
			a.displayName.localeCompare(b.displayName),
		),
	};
}
