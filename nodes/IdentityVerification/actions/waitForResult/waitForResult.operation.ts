import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { WAIT_OPERATION, outputHint } from '../../operation';
import type { Operation } from '../../operation';
import { documentFieldsField, outputField } from '../../result/outputField';
import { awaitedLink, waitingError } from './awaitedLink';
import { NO_ALWAYS_OUTPUT_DATA, ONE_ITEM } from './requirements';
import { LATEST_MS, WAIT_UNITS, waitLimitMs, waitUntil } from './waitUntil';

const HAS_RESULT = 'The result of the link has already arrived, so there is nothing to wait for.';

/** Waits for the result of the link that the execution created (interface.md#webhook). */
export const waitOperation: Operation = {
	kind: 'wait',
	choice: {
		name: 'Wait for Result',
		value: WAIT_OPERATION,
		action: 'Wait for result of hosted link',
		description:
			'Wait until the end user of a hosted link has finished, then continue with the decision',
	},
	parameters: [
		{
			displayName:
				'Put this node after Create Hosted Link, in the same workflow. Publish an Identity Verification Trigger with the same credential: it passes the result to this node. Enter its Production URL, with ?secret= and the webhook secret, as the webhook URL of the profile.',
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
				'How long to wait before the workflow continues at No Result. A result that arrives later goes to the outputs of the trigger.',
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
		documentFieldsField,
	],
};

/**
 * Checks everything that the wait needs, and makes the execution wait unless there is nothing left
 * to wait for.
 * @returns by output what the node was resumed with, if it has waited before
 * @throws NodeOperationError when the wait could only time out
 */
export async function waitForResult(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	// After a crash, Retry with the currently saved workflow reruns a node that has its result
	// (architecture.md#n8n-forward-outputs).
	const { data, metadata } = context.getExecuteData();
	if (metadata?.forwardAllOutputs) return (data.main ?? []).map((items) => items ?? []);
	if (context.getInputData().length !== 1) {
		const message = 'Wait for Result accepts only one item at a time';
		throw waitingError(context, { message, advice: ONE_ITEM.advice });
	}
	if (context.getNode().alwaysOutputData) throw waitingError(context, NO_ALWAYS_OUTPUT_DATA);
	const link = awaitedLink(context);
	if (!link) {
		context.addExecutionHints(outputHint(HAS_RESULT));
		return [];
	}
	const { reference, url, customData } = link;
	// At least `reference` is frozen after 0.1.0, because waiting executions have this item.
	const json = { decision: null, customData, reference, url };
	// The limit was checked before the link was created.
	const until = Date.now() + waitLimitMs(context.getNode().parameters);
	await waitUntil(context, new Date(Math.min(until, LATEST_MS)), {
		json,
		pairedItem: { item: 0 },
	});
	return [];
}
