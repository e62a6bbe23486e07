import { NodeConnectionTypes, updateDisplayOptions } from 'n8n-workflow';
import type { ExpressionString, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { DECISION_OUTPUTS, WAITING_OUTPUTS } from '../outputs';
import type { Operation } from './operation';
import { branchField, positiveNumber } from './parameters';

/** n8n names a new node after its action only where the operation belongs to a resource. */
const RESOURCE = 'verification';

/** As many requests at once as the service bears. */
const AUTOMATIC = 0;

/** In seconds. */
const DEFAULT_TIMEOUT = 120;

/** In minutes. */
const DEFAULT_RATE_LIMIT_WAIT = 5;

/** The longest time that a timer accepts, in milliseconds. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

const timeoutOption: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: DEFAULT_TIMEOUT,
	description: `How long to wait for an answer of the service. You may still be charged after a timeout. Defaults to ${DEFAULT_TIMEOUT}.`,
};

const maxParallelOption: INodeProperties = {
	displayName: 'Max Parallel Requests',
	name: 'maxParallelRequests',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: AUTOMATIC },
	default: AUTOMATIC,
	description: `How many requests may be sent at the same time. Defaults to ${AUTOMATIC}, which is automatic: as many as the service can handle.`,
};

const maxRateLimitWaitOption: INodeProperties = {
	displayName: 'Max Rate Limit Wait (Minutes)',
	name: 'maxRateLimitWait',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: DEFAULT_RATE_LIMIT_WAIT,
	description: `How long to keep trying while the service answers every request with status 429 (too many requests). These requests cost nothing. Defaults to ${DEFAULT_RATE_LIMIT_WAIT}.`,
};

const sharedOptions: INodeProperties[] = [maxParallelOption, maxRateLimitWaitOption, timeoutOption];

/** The line below the node on the canvas: the operation by its label. */
export function operationSubtitle(operations: readonly Operation[]): string {
	const labels = operations.map(({ choice }) => [choice.value, choice.name]);
	return `={{ ${JSON.stringify(Object.fromEntries(labels))}[$parameter["operation"]] }}`;
}

/** The outputs of the action node: those of a decision where the operation has them, otherwise one. */
export function operationOutputs(operations: readonly Operation[]): ExpressionString {
	const namesOf = (isMeant: (operation: Operation) => boolean) =>
		JSON.stringify(operations.filter(isMeant).map(({ choice }) => choice.value));
	const waiting = namesOf(({ kind }) => kind === 'waiting');
	const branching = namesOf((operation) => operation.kind === 'items' && !!operation.branches);
	const isBranched = `${branching}.includes($parameter.operation) && $parameter.${branchField.name} !== false`;
	const [waitingOutputs, decisionOutputs, single] = [
		WAITING_OUTPUTS,
		DECISION_OUTPUTS,
		[NodeConnectionTypes.Main],
	].map((outputs) => JSON.stringify(outputs));
	return `={{ ${waiting}.includes($parameter.operation) ? ${waitingOutputs} : ${isBranched} ? ${decisionOutputs} : ${single} }}`;
}

/** The parameters of the action node: the selector, and what each operation shows. */
export function operationFields(operations: readonly Operation[]): INodeProperties[] {
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
			options: operations.map(({ choice, toolDescription }) =>
				toolDescription ? choice : { ...choice, displayOptions: { hide: { '@tool': [true] } } },
			),
			default: 'scan',
		},
		...operations.flatMap((operation) =>
			updateDisplayOptions({ show: { operation: [operation.choice.value] } }, [
				...toolDescriptionFields(operation),
				...operation.parameters,
				...optionsFields(operation),
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
			description: 'Tells the model what this tool does and when to use it',
			displayOptions: { show: { '@tool': [true] } },
		},
	];
}

/** How many requests may be open at the same time; undefined for as many as the service bears. */
export function readMaxParallel(context: IExecuteFunctions): number | undefined {
	const value = Number(context.getNodeParameter(`options.${maxParallelOption.name}`, 0, AUTOMATIC));
	// Not thrown: it concerns no item, and it's a matter of speed alone.
	return value >= 1 ? Math.floor(value) : undefined;
}

/**
 * How long the service may refuse all requests, in milliseconds.
 * @throws NodeOperationError when it isn't a number above 0
 */
export function readRateLimitWaitMs(context: IExecuteFunctions): number {
	return positiveNumber(context, 0, maxRateLimitWaitOption) * 60_000;
}

/**
 * How long the service may stay silent, in whole milliseconds.
 * @throws NodeOperationError when it isn't a number
 */
export function readTimeoutMs(context: IExecuteFunctions): number {
	const ms = Math.ceil(positiveNumber(context, 0, timeoutOption) * 1_000);
	return Math.min(ms, MAX_TIMEOUT_MS);
}

function optionsFields(operation: Operation): INodeProperties[] {
	if (operation.kind === 'waiting') return [];
	return [
		{
			displayName: 'Options',
			name: 'options',
			type: 'collection',
			placeholder: 'Add option',
			default: {},
			options: [...operation.options, ...sharedOptions].sort((a, b) =>
				a.displayName.localeCompare(b.displayName),
			),
		},
	];
}
