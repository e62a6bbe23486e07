import { NodeOperationError, WAIT_FOR_SUB_EXECUTION } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	NodeTypeAndVersion,
} from 'n8n-workflow';

import { CREATE_LINK_OPERATION, WAIT_OPERATION } from '../actions/operation';
import { SECRET_RULE, STRONG_SECRET } from '../credential';
import { DECISION_OUTPUTS } from '../outputs';
import { isOutput } from '../resultItem';
import { runsOnEngine2 } from '../runtime';
import { NOT_CHARGED, itemError } from '../transport/errors';
import type { Connection } from '../transport/request';
import type { WaitingExecution } from './address';
import { resumeUrl } from './delivery';

/** The first version of n8n in which an execution can resume at each output. */
export const MIN_N8N_VERSION = '2.39';

/** n8n exports this from about that version on, and nodes can't read n8n's version. */
const isNewEnough = (WAIT_FOR_SUB_EXECUTION as Date | undefined) !== undefined;

/** What to do with several people. */
export const ONE_AT_A_TIME =
	"Use Loop Over Items with a batch size of 1. To let all of them verify at the same time, call a sub-workflow in the loop, with 'Wait For Sub-Workflow Completion' off.";

/** The units of a waiting time. */
export const WAIT_UNITS = [
	{ name: 'Days', value: 'days', ms: 24 * 3_600_000 },
	{ name: 'Hours', value: 'hours', ms: 3_600_000 },
	{ name: 'Minutes', value: 'minutes', ms: 60_000 },
];

/** How long a Wait for Result waits, in milliseconds; NaN for invalid parameters. */
export function waitLimitMs({ waitUpTo, waitUnit }: INodeParameters = {}): number {
	const unit = WAIT_UNITS.find(({ value }) => value === waitUnit);
	return Number(waitUpTo) * (unit?.ms ?? NaN);
}

/**
 * How the result of a new link returns to this execution; undefined unless a Wait for Result follows the node.
 * @throws NodeOperationError when the result couldn't return
 */
export function executionThatWaits(
	{ context, service, isAgentTool }: Connection,
	itemIndex: number,
): WaitingExecution | undefined {
	const waits = isAgentTool ? [] : nodesBehind(context, context.getNode().name);
	if (waits.length === 0) return undefined;
	const refuse = (message: string, advice: string) =>
		itemError({ context, itemIndex }, message, advice);
	if (runsOnEngine2(context)) {
		throw refuse(
			"n8n's Engine 2.0 cannot wait for a result",
			"Remove 'engineType' from the settings of the workflow, or remove the Wait for Result and take the result from the trigger.",
		);
	}
	if (context.getInputData().length > 1) {
		throw refuse('Before Wait for Result, this node takes one item at a time', ONE_AT_A_TIME);
	}
	if (!STRONG_SECRET.test(service.webhookSecret)) {
		throw refuse(
			`Wait for Result needs a 'Webhook Secret' of ${SECRET_RULE}`,
			'Enter one in the credential, and in the webhook URL of the profile.',
		);
	}
	const resumeToken = resumeUrl(context)?.searchParams.get('signature');
	if (!resumeToken || !isNewEnough) {
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
			'Connect all of its outputs to one node after it, such as Edit Fields: n8n returns only items of the first output to the calling workflow.',
		);
	}
	const { saveDataErrorExecution, executionTimeout = 0 } = context.getWorkflowSettings();
	if (saveDataErrorExecution === 'none') {
		throw refuse(
			'Wait for Result needs a workflow that saves failed executions',
			"Set 'Save failed production executions' to Save in the settings of the workflow: otherwise, a result would be lost when n8n can't resume the execution.",
		);
	}
	const limits = waits.map((node) => waitLimitMs(node.parameters));
	if (!limits.every((ms) => ms > 0)) {
		throw refuse(
			"'Wait Up To' of Wait for Result is not a number above 0",
			"Correct 'Wait Up To' and its unit.",
		);
	}
	// Waits can be chained through No Result.
	const longestMs = limits.reduce((total, ms) => total + ms);
	if (executionTimeout > 0 && longestMs >= executionTimeout * 1_000) {
		throw refuse(
			"The workflow's timeout is too short for Wait for Result",
			"Turn off 'Timeout Workflow' in the settings of the workflow, or shorten 'Wait Up To': n8n stops an execution that takes longer.",
		);
	}
	return { executionId: context.getExecutionId(), resumeToken };
}

/**
 * Finds the newest link that this execution has created for the item that waits; undefined when
 * its result has already arrived, such as on another path to this node.
 * @throws NodeOperationError when there is none
 */
export function awaitedLink(
	context: IExecuteFunctions,
): { reference: string; url: string; customData: string } | undefined {
	const before = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	const [newest] = before
		.filter((node) => isOperation(context, node, CREATE_LINK_OPERATION))
		.flatMap(({ name }) => linkOf(context, name))
		.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
	// Check this before ownership: a Retry after a crash brings the link and the result of the first try.
	if (newest && hasResult(context, newest.creator, newest.reference)) return undefined;
	if (newest?.awaitedBy === context.getExecutionId()) return newest;
	throw waitingError(
		context,
		'Wait for Result finds no link that this execution has created for this item',
		'Connect it after Create Hosted Link, and run both in the same execution, without pinned data. The nodes between them have to keep their input and output items linked.',
	);
}

/** The link that a node has made for the item, if it has. */
function linkOf(context: IExecuteFunctions, creator: string) {
	const item = readNode(context, creator, (node) => node.item);
	const { reference, url, customData, createdAt, awaitedBy } = item?.json ?? {};
	if (typeof reference !== 'string') return [];
	return [
		{
			reference,
			url: String(url),
			customData: String(customData),
			createdAt: String(createdAt ?? ''),
			awaitedBy,
			creator,
		},
	];
}

/** Whether a Wait for Result after the creator of a link already has its result. */
function hasResult(context: IExecuteFunctions, creator: string, reference: string): boolean {
	const items = nodesBehind(context, creator).flatMap(({ name }) => resultsOf(context, name));
	return items.some(({ json }) => String(json.hosted ?? json.reference) === reference);
}

/** The results of a Wait for Result, in all of its runs in this execution. */
function resultsOf(context: IExecuteFunctions, nodeName: string): INodeExecutionData[] {
	const { $node } = context.getWorkflowDataProxy(0) as {
		$node: Record<string, { runIndex: number } | undefined>;
	};
	const runs = [...Array(($node[nodeName]?.runIndex ?? -1) + 1).keys()];
	return runs.flatMap((run) =>
		DECISION_OUTPUTS.flatMap(
			(_, index) => readNode(context, nodeName, (node) => node.all(index + 1, run)) ?? [],
		),
	);
}

/** The Wait for Result nodes after a node. */
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

/** What `$('Node')` is in an expression. */
interface NodeData {
	item?: INodeExecutionData;
	all(output: number, run: number): INodeExecutionData[];
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

/** An error of Wait for Result. The link is already paid for, and its result isn't lost. */
export function waitingError(
	context: IExecuteFunctions,
	message: string,
	advice: string,
): NodeOperationError {
	const description = `${advice} A link that was created stays valid, and its result goes to the outputs of the trigger.`;
	const headline = `${message}. ${NOT_CHARGED} for waiting`;
	return new NodeOperationError(context.getNode(), headline, { description });
}
