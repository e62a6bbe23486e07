import type { IExecuteFunctions } from 'n8n-workflow';

import { WAIT_OPERATION, outputHint } from '../actions/operation';
import type { WaitingOperation } from '../actions/operation';
import { readOutput } from '../actions/parameters';
import { readWebhookSecret } from '../credential';
import { WAITING_OUTPUTS } from '../outputs';
import { outputField } from '../resultItem';
import { runsOnEngine2 } from '../runtime';
import {
	NO_WAITING,
	ONE_AT_A_TIME,
	UNREADABLE_LIMIT,
	awaitedLink,
	waitingError,
} from './awaitedLink';
import { holdUntil } from './execution';
import { waitLimitMs, waitUnitField, waitUpToField } from './waitLimit';

const HAS_RESULT = 'The result of the link has already arrived, so there is nothing to wait for.';

/** n8n's database compares points in time as texts, in which a year has four digits. */
const LATEST_MS = Date.UTC(9999, 0);

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
				'Put this node behind Create Hosted Link, in the same workflow. Publish an Identity Verification Trigger with the same credential, and put its Production URL with ?secret= into the profile: the trigger hands the result to this node.',
			name: 'waitForResultNotice',
			type: 'notice',
			default: '',
		},
		waitUpToField,
		waitUnitField,
		outputField,
	],
	async wait(context) {
		if (runsOnEngine2(context)) throw waitingError(context, ...NO_WAITING);
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
		if ((await readWebhookSecret(context)) === '') {
			throw waitingError(
				context,
				'Wait for Result needs a webhook secret',
				"Set 'Webhook Secret' in the credential: it proves that a result comes from the trigger.",
			);
		}
		readOutput(context, 0);
		const until = readLimit(context);
		const link = awaitedLink(context);
		if (!link) {
			context.addExecutionHints(outputHint(HAS_RESULT));
			return;
		}
		const { reference, customData } = link;
		const item = { json: { decision: null, customData, reference }, pairedItem: { item: 0 } };
		await holdUntil(context, until, item, WAITING_OUTPUTS.length);
	},
};

function readLimit(context: IExecuteFunctions): Date {
	const ms = waitLimitMs(context.getNode().parameters);
	if (ms > 0) return new Date(Math.min(Date.now() + ms, LATEST_MS));
	throw waitingError(context, ...UNREADABLE_LIMIT);
}
