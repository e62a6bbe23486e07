import { WAIT_FOR_SUB_EXECUTION } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import type { Received, WebhookResult } from '../contract';
import { openAddress } from './address';
import type { AddressedValue, WaitingExecution } from './address';
import { deliver } from './delivery';
import type { ResumeEndpoint } from './delivery';
import { untilStarted } from './start';

/** The first version of n8n in which an execution can go on at each output. */
export const MIN_N8N_VERSION = '2.39';

/** n8n exports this constant since about that version, and doesn't tell a node its own one. */
const isNewEnough = (WAIT_FOR_SUB_EXECUTION as Date | undefined) !== undefined;

const NOT_PROVEN =
	'Only the authentication Webhook Secret proves a decision. With another one, no result is handed to an execution that waits.';

const OTHER_SECRET = 'Its link was created for another profile, or with another webhook secret.';

/** The same as long as n8n runs, and n8n's expressions are slow. */
let endpointName: string | undefined;

/** How to resume this execution; undefined where n8n is too old for that. */
export function waitingExecution(context: IExecuteFunctions): WaitingExecution | undefined {
	const resumeToken = resumeUrl(context)?.searchParams.get('signature');
	return resumeToken && isNewEnough
		? { executionId: context.getExecutionId(), resumeToken }
		: undefined;
}

/** A result whose Custom Data came with the address of an execution. */
interface AwaitedResult {
	addressed: AddressedValue;
	result: Received<WebhookResult>;
	/** The webhook secret that the sender has proven to know; empty if nothing was proven. */
	secret: string;
}

/**
 * Hands a result to the execution that waits for it. Rejects while n8n starts: the service has to send the result again
 * then, as when n8n doesn't run.
 * @returns undefined when the execution goes on with the result, otherwise why it doesn't, in a sentence
 */
export async function handOver(
	context: IWebhookFunctions,
	{ addressed, result, secret }: AwaitedResult,
): Promise<string | undefined> {
	// Whoever has seen Custom Data could post any decision with it.
	if (secret === '') return NOT_PROVEN;
	const execution = openAddress(secret, String(result.body.profileId), addressed);
	if (!execution) return OTHER_SECRET;
	const endpoint = resumeEndpoint(context);
	await untilStarted(endpoint);
	return await deliver(endpoint, execution, result.body, secret);
}

/**
 * Where the process that has received a request takes requests itself. Only its own socket says that, so no sender
 * can choose where a result goes, and the endpoint need not be reachable from outside.
 */
function resumeEndpoint(context: IWebhookFunctions): ResumeEndpoint {
	const { socket } = context.getRequestObject();
	const { localAddress = '', localPort = 0 } = socket;
	const scheme = 'encrypted' in socket ? 'https' : 'http';
	const host = localAddress.includes(':') ? `[${localAddress}]` : localAddress;
	const name = (endpointName ??= resumeUrl(context)?.pathname.split('/').at(-2) ?? '');
	return { origin: `${scheme}://${host}:${localPort}`, name };
}

function resumeUrl(context: IExecuteFunctions | IWebhookFunctions): URL | undefined {
	const url = String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0));
	return URL.canParse(url) ? new URL(url) : undefined;
}

/**
 * Puts the execution to wait. When the time is over, n8n puts the item on the first output; it is also what
 * `$json` is in the node's `webhook()`.
 * @param outputs how many the node has
 */
export async function holdUntil(
	context: IExecuteFunctions,
	time: Date,
	item: INodeExecutionData,
	outputs: number,
): Promise<void> {
	const executeData = context.getExecuteData();
	const { data, node, source } = executeData;
	data.main = [[item]];
	// n8n disables this object to resume, and would skip the node on all other ways that lead to it.
	executeData.node = { ...node };
	// n8n takes the index of an output for one of an input when it looks for the items before this node.
	const [from] = source?.main ?? [];
	if (source && from) source.main = Array.from({ length: outputs }, () => from);
	await context.putExecutionToWait(time);
}

/** What a node that has waited was resumed with, by output; undefined if it hasn't waited yet. */
export function resumedWith(context: IExecuteFunctions): INodeExecutionData[][] | undefined {
	const { data, metadata } = context.getExecuteData();
	return metadata?.forwardAllOutputs ? data.main?.map((items) => items ?? []) : undefined;
}
