import type { IExecuteFunctions, INodeParameters, NodeTypeAndVersion } from 'n8n-workflow';

import { SECRET_RULE, isStrongSecret } from '../../credential';
import type { WaitingExecution } from '../../delivery/address';
import { resumeUrl } from '../../delivery/resumeEndpoint';
import { WRONG_SETTING, nodeError } from '../../errors/nodeErrors';
import type { ConnectedItem } from '../../item';
import { MIN_N8N_VERSION, canResumeAtEachOutput, keepsFilesInJson } from '../../n8n';
import { DOCUMENT_FIELDS } from '../../result/documentFields';
import { OUTPUTS, readOutput } from '../../result/outputField';
import { nodeOf, sharesCredential, waitNodesAfter } from './otherNodes';

/** What to do when there are several people. */
export const ONE_AT_A_TIME =
	"Use Loop Over Items with a batch size of 1. To let all of them verify at the same time, call a sub-workflow in the loop, with 'Wait For Sub-Workflow Completion' off.";

/** The problem with a setting of the node, and what to do about it. */
export const ALWAYS_OUTPUT_DATA = {
	message: "Wait for Result cannot run with 'Always Output Data'",
	advice:
		"Turn off 'Always Output Data' in the settings of Wait for Result: with it, n8n also starts the No Result branch for every result.",
};

/** The problem with a webhook secret that is missing or weak, and what to do about it. */
export const WEAK_SECRET = {
	message: `Wait for Result needs a 'Webhook Secret' of ${SECRET_RULE}`,
	advice: 'Enter one in the credential, and in the webhook URL of the profile.',
};

/** The problem with two different credentials, and what to do about it. */
export const OTHER_CREDENTIAL = {
	message: 'Wait for Result and Create Hosted Link have different credentials',
	advice: 'Choose the same credential in both nodes, and in the trigger.',
};

/** The units of a waiting time. */
export const WAIT_UNITS = [
	{ name: 'Days', value: 'days', ms: 24 * 3_600_000 },
	{ name: 'Hours', value: 'hours', ms: 3_600_000 },
	{ name: 'Minutes', value: 'minutes', ms: 60_000 },
];

/** How long a Wait for Result waits, in milliseconds; NaN for invalid parameters. */
export function waitLimitMs(parameters: INodeParameters = {}): number {
	return Number(parameters.waitUpTo) * (unitOf(parameters)?.ms ?? NaN);
}

function unitOf({ waitUnit }: INodeParameters = {}) {
	return WAIT_UNITS.find(({ value }) => value === waitUnit);
}

/** A Create Hosted Link that is followed by a Wait for Result. */
interface LinkToAwait {
	context: IExecuteFunctions;
	webhookSecret: string;
	/** The Wait for Result nodes after it, at least one. */
	waits: NodeTypeAndVersion[];
}

/**
 * A condition that must hold before a link is paid for, because otherwise its result couldn't
 * return to the execution.
 */
interface Requirement {
	holds(situation: LinkToAwait): boolean;
	message: string;
	/** What to do, in a sentence. */
	advice: string;
}

/** Checked in this order. The first one that doesn't hold becomes the error. */
const REQUIREMENTS: Requirement[] = [
	{
		holds: ({ context }) => !keepsFilesInJson(context),
		message: "n8n's Execution Logic v2 cannot wait for a result",
		advice:
			"Choose v1 in the settings of the workflow (without 'binaryMode': 'combined'), or remove the Wait for Result and take the result from the trigger.",
	},
	{
		holds: ({ context }) => context.getInputData().length <= 1,
		message: 'Before Wait for Result, this node accepts only one item at a time',
		advice: ONE_AT_A_TIME,
	},
	{
		holds: ({ webhookSecret }) => isStrongSecret(webhookSecret),
		...WEAK_SECRET,
	},
	{
		holds: ({ context, waits }) => waits.every(({ name }) => sharesCredential(context, name)),
		...OTHER_CREDENTIAL,
	},
	{
		holds: ({ context, waits }) =>
			waits.every(({ name }) => !nodeOf(context, name)?.alwaysOutputData),
		...ALWAYS_OUTPUT_DATA,
	},
	{
		holds: ({ context }) => canResumeAtEachOutput && resumeTokenOf(context) !== '',
		message: `Wait for Result needs n8n ${MIN_N8N_VERSION} or newer`,
		advice: 'Update n8n, or remove the Wait for Result and take the result from the trigger.',
	},
	{
		holds: ({ waits }) => waits.every(({ parameters }) => readOutput(parameters?.output, []).ok),
		message: `'Output' of Wait for Result is not one of ${OUTPUTS.join(', ')}`,
		advice: "Choose 'Output' again.",
	},
	{
		holds: ({ waits }) =>
			waits.every(
				({ parameters: { output, documentFields } = {} }) => readOutput(output, documentFields).ok,
			),
		message: `One of the 'Fields' of Wait for Result is not one of ${DOCUMENT_FIELDS.map(({ value }) => value).join(', ')}`,
		advice: "Choose 'Fields' again.",
	},
	{
		holds: ({ context, waits }) =>
			context.getMode() !== 'integrated' || !waits.some(({ name }) => isLast(context, name)),
		message: 'Wait for Result cannot be the last node of a sub-workflow',
		advice:
			'Connect all of its outputs to one node after it, such as Edit Fields: n8n returns only items of the first output to the calling workflow.',
	},
	{
		holds: ({ context }) => context.getWorkflowSettings().saveDataErrorExecution !== 'none',
		message: 'Wait for Result needs a workflow that saves failed executions',
		advice:
			"Set 'Save failed production executions' to Save in the settings of the workflow: otherwise, a result would be lost when n8n can't resume the execution.",
	},
	{
		holds: ({ waits }) => waits.every(({ parameters }) => unitOf(parameters) !== undefined),
		message: `'Unit' of Wait for Result is not one of ${WAIT_UNITS.map(({ value }) => value).join(', ')}`,
		advice: "Choose 'Unit' again.",
	},
	{
		holds: ({ waits }) => waits.every(({ parameters }) => waitLimitMs(parameters) > 0),
		message: "'Wait Up To' of Wait for Result is not a number above 0",
		advice: "Correct 'Wait Up To'.",
	},
	{
		holds: ({ context, waits }) => endsInTime(context, waits),
		message: "The workflow's timeout is too short for Wait for Result",
		advice:
			"Turn off 'Timeout Workflow' in the settings of the workflow, or shorten 'Wait Up To': n8n stops an execution that takes longer.",
	},
];

/**
 * The execution to which the result of a new link will return. Undefined unless a Wait for Result
 * follows the node.
 * @throws NodeOperationError when the result couldn't return
 */
export function checkedWaitingExecution({
	context,
	itemIndex,
	service,
	isAgentTool,
}: ConnectedItem): WaitingExecution | undefined {
	const waits = isAgentTool ? [] : waitNodesAfter(context, context.getNode().name);
	if (waits.length === 0) return undefined;
	const situation = { context, webhookSecret: service.webhookSecret, waits };
	const unmet = REQUIREMENTS.find((requirement) => !requirement.holds(situation));
	if (unmet) {
		const { message, advice } = unmet;
		throw nodeError(
			{ context, itemIndex },
			{ message, advice, charge: 'none', cause: WRONG_SETTING },
		);
	}
	return { executionId: context.getExecutionId(), resumeToken: resumeTokenOf(context) };
}

/** Empty in an n8n before 2.39 (architecture.md#n8n-resume-token). */
function resumeTokenOf(context: IExecuteFunctions): string {
	return resumeUrl(context)?.searchParams.get('signature') ?? '';
}

function isLast(context: IExecuteFunctions, nodeName: string): boolean {
	return context.getChildNodes(nodeName).length === 0;
}

/**
 * Whether all waits together are shorter than the workflow's timeout. They are added up because
 * waits can be chained through No Result.
 */
function endsInTime(context: IExecuteFunctions, waits: NodeTypeAndVersion[]): boolean {
	const { executionTimeout = 0 } = context.getWorkflowSettings();
	const longestMs = waits.reduce((total, { parameters }) => total + waitLimitMs(parameters), 0);
	return executionTimeout <= 0 || longestMs < executionTimeout * 1_000;
}
