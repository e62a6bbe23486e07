import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, NodeTypeAndVersion } from 'n8n-workflow';

import { CREATE_LINK_OPERATION, WAIT_OPERATION, itemError } from '../actions/operation';
import { DECISION_OUTPUTS } from '../outputs';
import { isOutput } from '../resultItem';
import { isAgentTool, runsOnEngine2 } from '../runtime';
import { NOT_CHARGED } from '../transport/errors';
import type { Connection } from '../transport/request';
import type { WaitingExecution } from './address';
import { MIN_N8N_VERSION, waitingExecution } from './execution';
import { waitLimitMs } from './waitLimit';

/** The link whose result an execution waits for. */
export interface AwaitedLink {
	reference: string;
	/** The caller's own value. */
	customData: string;
}

/** What to do with several people. */
export const ONE_AT_A_TIME =
	"Use Loop Over Items with a batch size of 1. To let all of them verify at the same time, call a sub-workflow in the loop, with 'Wait For Sub-Workflow Completion' off.";

export const UNREADABLE_LIMIT = [
	"'Wait Up To' of Wait for Result is not a number above 0",
	"Correct 'Wait Up To' and its unit.",
] as const;

export const NO_WAITING = [
	"n8n's Engine 2.0 cannot wait for a result",
	"Remove 'engineType' from the settings of the workflow, or remove the Wait for Result and take the result from the trigger.",
] as const;

/** The webhook secret encrypts a text that the service and the end user see: a short one could be guessed from it. */
const MIN_SECRET_LENGTH = 20;

/**
 * How the result of a new link returns to this execution; undefined unless a Wait for Result is behind the node.
 * @throws NodeOperationError when the result couldn't return
 */
export function executionThatWaits(
	{ context, service }: Connection,
	itemIndex: number,
): WaitingExecution | undefined {
	const waits = isAgentTool(context) ? [] : nodesBehind(context, context.getNode().name);
	if (waits.length === 0) return undefined;
	const refuse = (message: string, advice: string) =>
		itemError(context, itemIndex, message, advice);
	if (runsOnEngine2(context)) throw refuse(...NO_WAITING);
	if (context.getInputData().length > 1) {
		throw refuse('A link with a Wait for Result behind it takes one item at a time', ONE_AT_A_TIME);
	}
	if (service.webhookSecret.length < MIN_SECRET_LENGTH) {
		throw refuse(
			service.webhookSecret
				? 'The webhook secret of the credential is too short for Wait for Result'
				: 'The result of the link cannot be waited for: the credential has no webhook secret',
			`Set a 'Webhook Secret' of at least ${MIN_SECRET_LENGTH} random characters in the credential, and in the webhook URL of the profile.`,
		);
	}
	const execution = waitingExecution(context);
	if (!execution) {
		throw refuse(
			`Wait for Result needs n8n ${MIN_N8N_VERSION} or newer`,
			'Update n8n, or remove the Wait for Result and take the result from the trigger.',
		);
	}
	if (!waits.every(({ parameters }) => isOutput(parameters?.output))) {
		throw refuse(
			"'Output' of Wait for Result has a value that does not exist",
			"Choose 'Output' again.",
		);
	}
	const isLast = ({ name }: NodeTypeAndVersion) => context.getChildNodes(name).length === 0;
	if (context.getMode() === 'integrated' && waits.some(isLast)) {
		throw refuse(
			'Wait for Result cannot be the last node of a sub-workflow',
			'Connect all of its outputs with one node behind it, such as Edit Fields: n8n hands only items of the first output to a workflow that waits for this one.',
		);
	}
	if (context.getWorkflowSettings().saveDataErrorExecution === 'none') {
		throw refuse(
			'Wait for Result needs an n8n that saves failed executions',
			"Set 'Save failed production executions' to Save in the settings of the workflow: otherwise, a result would be lost when n8n can't resume the execution.",
		);
	}
	const limits = waits.map((node) => waitLimitMs(node.parameters));
	if (!limits.every((ms) => ms > 0)) throw refuse(...UNREADABLE_LIMIT);
	// Waits can be chained through No Result.
	if (limits.reduce((total, ms) => total + ms) >= timeoutMs(context)) {
		throw refuse(
			'The timeout of the workflow is shorter than Wait for Result waits',
			"Turn off 'Timeout Workflow' in the settings of the workflow, or shorten 'Wait Up To': n8n stops an execution that has waited longer than that.",
		);
	}
	return execution;
}

/** After what time n8n stops the workflow, in milliseconds. */
function timeoutMs(context: IExecuteFunctions): number {
	const { executionTimeout = 0 } = context.getWorkflowSettings();
	return executionTimeout > 0 ? executionTimeout * 1_000 : Infinity;
}

/**
 * Finds the link that this execution has created for the item that waits: the newest one. It's undefined when its
 * result has already arrived, such as on another path to this node.
 * @throws NodeOperationError when there is none
 */
export function awaitedLink(context: IExecuteFunctions): AwaitedLink | undefined {
	const before = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	const [newest] = before
		.filter((node) => isOperation(context, node, CREATE_LINK_OPERATION))
		.flatMap(({ name }) => linkOf(context, name))
		.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
	// Check this before ownership: a Retry after a crash brings the link and the result of the first try.
	if (newest && hasResult(context, newest)) return undefined;
	if (newest?.awaitedBy === context.getExecutionId()) return newest;
	throw waitingError(
		context,
		'Wait for Result finds no link that this execution has created for its item',
		'Connect it behind Create Hosted Link in the same workflow, and run both in the same execution, without pinned data. The nodes between them have to keep the link between their input and output items.',
	);
}

/** Whether a Wait for Result already has the result of a link. */
function hasResult(context: IExecuteFunctions, { reference, creator }: CreatedLink): boolean {
	const items = nodesBehind(context, creator).flatMap(({ name }) =>
		runsOf(context, name).flatMap((run) =>
			DECISION_OUTPUTS.flatMap(
				(_, index) => readNode(context, name, (node) => node.all(index + 1, run)) ?? [],
			),
		),
	);
	return items.some(({ json }) => String(json.hosted ?? json.reference) === reference);
}

/** The Wait for Result nodes behind a node. */
function nodesBehind(context: IExecuteFunctions, nodeName: string): NodeTypeAndVersion[] {
	const behind = context.getChildNodes(nodeName, { includeNodeParameters: true });
	return behind.filter((node) => isOperation(context, node, WAIT_OPERATION));
}

function isOperation(
	context: IExecuteFunctions,
	{ type, disabled, parameters }: NodeTypeAndVersion,
	operation: string,
): boolean {
	return type === context.getNode().type && !disabled && parameters?.operation === operation;
}

interface CreatedLink extends AwaitedLink {
	/** Name of the node that has created it. */
	creator: string;
	createdAt: string;
	/** ID of the execution that it was created for. */
	awaitedBy: unknown;
}

/** The link that a Create Hosted Link has made for the item, if it has. */
function linkOf(context: IExecuteFunctions, creator: string): CreatedLink[] {
	const item = readNode(context, creator, (node) => node.item);
	const { reference, customData, awaitedBy, createdAt } = item?.json ?? {};
	if (typeof reference !== 'string') return [];
	const own = String(customData ?? '');
	return [{ reference, customData: own, creator, createdAt: String(createdAt ?? ''), awaitedBy }];
}

/** What `$('Node')` is in an expression. */
interface NodeData {
	item?: INodeExecutionData;
	all(output: number, run: number): INodeExecutionData[];
}

/** The indexes of the runs that a node has had in this execution. */
function runsOf(context: IExecuteFunctions, nodeName: string): number[] {
	const { $node } = context.getWorkflowDataProxy(0) as {
		$node: Record<string, { runIndex: number } | undefined>;
	};
	return [...Array(($node[nodeName]?.runIndex ?? -1) + 1).keys()];
}

/** Reads what a node has returned; undefined where n8n has nothing, such as for a node that hasn't run. */
function readNode<Value>(
	context: IExecuteFunctions,
	nodeName: string,
	read: (node: NodeData) => Value,
): Value | undefined {
	const { $ } = context.getWorkflowDataProxy(0) as { $: (nodeName: string) => NodeData };
	try {
		return read($(nodeName));
	} catch {
		return undefined;
	}
}

/**
 * An error of Wait for Result. The link is paid for by then, and its result isn't lost.
 * @param advice what to do, in a sentence
 */
export function waitingError(
	context: IExecuteFunctions,
	message: string,
	advice: string,
): NodeOperationError {
	const description = `${advice} A link that was created stays valid, and its result goes to the outputs of the trigger.`;
	const headline = `${message}. ${NOT_CHARGED} for waiting`;
	return new NodeOperationError(context.getNode(), headline, { description });
}
