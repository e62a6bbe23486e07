import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeOutputConfiguration,
	IWebhookDescription,
	IWebhookFunctions,
	IWebhookResponseData,
	NodeHint,
} from 'n8n-workflow';

import { WAIT_OPERATION, outputHint } from '../../operation';
import type { WaitingOperation } from '../../operation';
import { readWebhookResult } from '../../contract/result';
import { STRONG_SECRET, readWebhookSecret } from '../../credential';
import { DECISION_OUTPUTS, OUTPUT_HINT, routeAll } from '../../result/outputs';
import { outputField, resultItem } from '../../resultItem';
import type { Output } from '../../resultItem';
import { RECEIVED, refuse, refuseAndLog } from '../../webhookAnswer';
import type { Refusal } from '../../webhookAnswer';
import { awaitedLink, waitingError } from './awaitedLink';
import { REFUSAL_CODES } from '../../delivery/n8nAnswers';
import { RESULT_PATH, SIGNATURE_HEADER, isDelivery } from '../../delivery/signature';
import { ONE_AT_A_TIME, WAIT_UNITS, WEAK_SECRET, waitLimitMs } from './requirements';

const HAS_RESULT = 'The result of the link has already arrived, so there is nothing to wait for.';

/** n8n's database compares times as text, in which a year has four digits. */
const LATEST_MS = Date.UTC(9999, 0);

/** The outputs of Wait for Result: n8n sends a wait that timed out to the first one. */
export const WAITING_OUTPUTS: INodeOutputConfiguration[] = [
	{ type: NodeConnectionTypes.Main, displayName: 'No Result' },
	...DECISION_OUTPUTS,
];

/** After a wait, n8n returns the item by itself: only the node's description can explain where it is. */
export const WAITING_HINT: NodeHint = {
	...OUTPUT_HINT,
	message: `${OUTPUT_HINT.message} If none arrived in time, the item is at No Result.`,
	displayCondition: `={{ $parameter["operation"] === "${WAIT_OPERATION}" }}`,
};

/** Where an execution that waits takes its result. */
export const RESULT_WEBHOOK: IWebhookDescription = {
	name: 'default',
	httpMethod: 'POST',
	responseMode: 'onReceived',
	responseData: '',
	path: RESULT_PATH,
	isFullPath: true,
	restartWebhook: true,
};

/** Lets the execution wait for the result of the link that it created (interface.md#webhook). */
export const waitForResult: WaitingOperation = {
	kind: 'waiting',
	choice: {
		name: 'Wait for Result',
		value: WAIT_OPERATION,
		action: 'Wait for result of hosted link',
		description:
			'Wait until the end user of a hosted link has finished, and go on with the decision',
	},
	parameters: [
		{
			displayName:
				'Put this node after Create Hosted Link, in the same workflow. Publish an Identity Verification Trigger with the same credential: it hands the result to this node. Its Production URL, with ?secret= and the webhook secret, has to be the webhook URL of the profile.',
			name: 'waitForResultNotice',
			type: 'notice',
			default: '',
		},
		{
			displayName: 'Wait Up To',
			name: 'waitUpTo',
			type: 'number',
			noDataExpression: true,
			typeOptions: { minValue: 0 },
			default: 7,
			description:
				'How long to wait before the workflow goes on at No Result. A result that arrives later goes to the outputs of the trigger.',
		},
		{
			displayName: 'Unit',
			name: 'waitUnit',
			type: 'options',
			noDataExpression: true,
			options: WAIT_UNITS.map(({ name, value }) => ({ name, value })),
			default: 'days',
			description: "The unit of 'Wait Up To'",
		},
		outputField,
	],
	async wait(context) {
		// After a crash, Retry with the currently saved workflow reruns a node that has its result.
		const { data, metadata } = context.getExecuteData();
		if (metadata?.forwardAllOutputs) return (data.main ?? []).map((items) => items ?? []);
		if (context.getInputData().length !== 1) {
			throw waitingError(context, 'Wait for Result takes one item at a time', ONE_AT_A_TIME);
		}
		if (context.getNode().alwaysOutputData) {
			throw waitingError(
				context,
				"Wait for Result cannot run with 'Always Output Data'",
				"Turn off 'Always Output Data' in the settings of this node: with it, n8n also starts the No Result branch for every result.",
			);
		}
		if (!STRONG_SECRET.test(await readWebhookSecret(context))) {
			throw waitingError(context, WEAK_SECRET.message, WEAK_SECRET.advice);
		}
		const link = awaitedLink(context);
		if (!link) {
			context.addExecutionHints(outputHint(HAS_RESULT));
			return [];
		}
		const { reference, url, customData } = link;
		// Frozen after 0.1.0, at least `reference`: executions that wait have this item.
		const json = { decision: null, customData, reference, url };
		// The limit was checked before the link was created.
		const until = Date.now() + waitLimitMs(context.getNode().parameters);
		await waitUntil(context, new Date(Math.min(until, LATEST_MS)), {
			json,
			pairedItem: { item: 0 },
		});
		return [];
	},
};

/**
 * Pauses the execution. When the time is up, n8n returns the item at the first output. In
 * `webhook()`, it is `$json`.
 */
async function waitUntil(
	context: IExecuteFunctions,
	time: Date,
	item: INodeExecutionData,
): Promise<void> {
	const executeData = context.getExecuteData();
	const { data, node, source } = executeData;
	data.main = [[item]];
	// n8n disables this object to resume, and would skip the node on all other paths that lead to it.
	executeData.node = { ...node };
	// n8n mistakes an output's index for an input's when it looks for the items before this node.
	const [from] = source?.main ?? [];
	if (source && from) source.main = WAITING_OUTPUTS.map(() => from);
	await context.putExecutionToWait(time);
}

/** The answer to whatever wasn't signed with the credential's webhook secret. */
const NOT_SIGNED: Refusal = {
	status: 401,
	error: 'Only the trigger can hand a result to this execution.',
	code: REFUSAL_CODES.notSigned,
};

/** The answer to the result of another link. */
const OTHER_LINK: Refusal = {
	status: 409,
	error: 'The execution is waiting for the result of another link.',
	code: REFUSAL_CODES.otherLink,
};

/**
 * Takes the result that an execution waits for. After anything else, it continues to wait.
 * Answers 200, 400 for no readable result, 401 without the trigger's signature, 409 for the result of another link.
 * @returns the result on the output of its decision
 */
export async function resume(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const secret = await readWebhookSecret(context);
	if (!STRONG_SECRET.test(secret)) {
		return refuseAndLog(context, NOT_SIGNED, `${WEAK_SECRET.message}: enter one in the credential`);
	}
	const { rawBody }: { rawBody?: Uint8Array } = context.getRequestObject();
	const signature = context.getHeaderData()[SIGNATURE_HEADER];
	if (!rawBody || !isDelivery(secret, rawBody, signature)) return refuse(context, NOT_SIGNED);
	const result = readWebhookResult(context.getBodyData());
	if (!result.ok) return refuse(context, { status: 400, error: 'Not a readable result' });
	const reference = context.evaluateExpression('{{ $json.reference }}', 0);
	if (String(result.value.hosted) !== reference) return refuse(context, OTHER_LINK);
	const json = resultItem(result, context.getNodeParameter('output') as Output);
	const decisions = routeAll([{ json, pairedItem: { item: 0 } }]);
	return { webhookResponse: RECEIVED, workflowData: [[], ...decisions] };
}
