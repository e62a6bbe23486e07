import type { IExecuteFunctions, NodeTypeAndVersion } from 'n8n-workflow';

import { SECRET_RULE, isStrongSecret } from '../../credential';
import type { WaitingExecution } from '../../delivery/address';
import { resumeUrl } from '../../delivery/resumeEndpoint';
import { WRONG_SETTING, nodeError } from '../../errors/nodeErrors';
import type { ConnectedItem } from '../../item';
import { nodeOf, nodesAfter, sharesCredential } from '../../n8n/otherNodes';
import { MIN_N8N_VERSION, canResumeAtEachOutput, keepsFilesInJson } from '../../n8n/thisN8n';
import { WAIT_OPERATION } from '../../operation';
import { DOCUMENT_FIELDS } from '../../result/documentFields';
import { OUTPUTS, readOutput } from '../../result/outputField';
import { WAIT_UNITS, hasUnit, waitLimitMs } from './waitUntil';

/**
 * A condition that must hold before a link is paid for, because otherwise its result couldn't
 * return to the execution.
 */
export interface Requirement {
	/** @param waits the Wait for Result nodes after the node that creates the link, at least one */
	holds(item: ConnectedItem, waits: NodeTypeAndVersion[]): boolean;
	/** What is wrong if it doesn't hold. */
	message: string;
	/** What to do then, in a sentence. */
	advice: string;
}

export const ONE_ITEM: Requirement = {
	holds: ({ context }) => context.getInputData().length <= 1,
	message: 'Before Wait for Result, this node accepts only one item at a time',
	advice:
		"Use Loop Over Items with a batch size of 1. To let all of them verify at the same time, call a sub-workflow in the loop, with 'Wait For Sub-Workflow Completion' off.",
};

export const STRONG_SECRET: Requirement = {
	holds: ({ service }) => isStrongSecret(service.webhookSecret),
	message: `Wait for Result needs a 'Webhook Secret' of ${SECRET_RULE}`,
	advice: 'Enter one in the credential, and in the webhook URL of the profile.',
};

export const SAME_CREDENTIAL: Requirement = {
	holds: ({ context }, waits) => waits.every(({ name }) => sharesCredential(context, name)),
	message: 'Wait for Result and Create Hosted Link have different credentials',
	advice: 'Choose the same credential in both nodes, and in the trigger.',
};

export const NO_ALWAYS_OUTPUT_DATA: Requirement = {
	holds: ({ context }, waits) =>
		waits.every(({ name }) => !nodeOf(context, name)?.alwaysOutputData),
	message: "Wait for Result cannot run with 'Always Output Data'",
	advice:
		"Turn off 'Always Output Data' in the settings of Wait for Result: with it, n8n also starts the No Result branch for every result.",
};

/** Checked in this order. The first one that doesn't hold becomes the error. */
const REQUIREMENTS: Requirement[] = [
	{
		holds: ({ context }) => !keepsFilesInJson(context),
		message: "n8n's Execution Logic v2 cannot wait for a result",
		advice:
			"Choose v1 in the settings of the workflow (without 'binaryMode': 'combined'), or remove the Wait for Result and take the result from the trigger.",
	},
	ONE_ITEM,
	STRONG_SECRET,
	SAME_CREDENTIAL,
	NO_ALWAYS_OUTPUT_DATA,
	{
		holds: ({ context }) => canResumeAtEachOutput && resumeTokenOf(context) !== '',
		message: `Wait for Result needs n8n ${MIN_N8N_VERSION} or newer`,
		advice: 'Update n8n, or remove the Wait for Result and take the result from the trigger.',
	},
	{
		holds: (_, waits) => waits.every(({ parameters }) => readOutput(parameters?.output, []).ok),
		message: `'Output' of Wait for Result is not one of ${OUTPUTS.join(', ')}`,
		advice: "Choose 'Output' again.",
	},
	{
		holds: (_, waits) =>
			waits.every(
				({ parameters: { output, documentFields } = {} }) => readOutput(output, documentFields).ok,
			),
		message: `One of the 'Fields' of Wait for Result is not one of ${DOCUMENT_FIELDS.map(({ value }) => value).join(', ')}`,
		advice: "Choose 'Fields' again.",
	},
	{
		holds: ({ context }, waits) =>
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
		holds: (_, waits) => waits.every(({ parameters }) => hasUnit(parameters)),
		message: `'Unit' of Wait for Result is not one of ${WAIT_UNITS.map(({ value }) => value).join(', ')}`,
		advice: "Choose 'Unit' again.",
	},
	{
		holds: (_, waits) => waits.every(({ parameters }) => waitLimitMs(parameters) > 0),
		message: "'Wait Up To' of Wait for Result is not a number above 0",
		advice: "Correct 'Wait Up To'.",
	},
	{
		holds: ({ context }, waits) => endsInTime(context, waits),
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
export function checkedWaitingExecution(item: ConnectedItem): WaitingExecution | undefined {
	const { context, isAgentTool } = item;
	const { name } = context.getNode();
	const waits = isAgentTool ? [] : nodesAfter(context, name, WAIT_OPERATION);
	if (waits.length === 0) return undefined;
	const unmet = REQUIREMENTS.find((requirement) => !requirement.holds(item, waits));
	if (unmet) {
		const { message, advice } = unmet;
		throw nodeError(item, { message, advice, charge: 'none', cause: WRONG_SETTING });
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
