import type { IDataObject } from 'n8n-workflow';

import type { LinkRecord } from '../../../dev/sandbox/state';
import type { N8nApi } from '../../../dev/stack/api';
import { poll } from '../../../dev/stack/poll';
import { useReceiver } from '../service/receiver';
import { LiveWorkflow } from './liveWorkflow';
import type { Answer } from './liveWorkflow';
import { WEBHOOK_SECRET } from '../settings';
import type { SandboxInN8n } from './sandboxInN8n';
import { TRIGGER, triggerFlow, undeliveredOf } from './waitingFlow';
import type { Branches } from './waitingFlow';

export const PROFILE = 'sandbox-onboarding';

/**
 * The results of the links of a profile: how they get to n8n, and where they go when nobody takes
 * them.
 */
export interface Results {
	/** Takes the results of the profile unless a test says otherwise. */
	readonly trigger: LiveWorkflow;
	/** Sends the results of the profile to another trigger. */
	directResultsTo(workflow: LiveWorkflow): Promise<void>;
	/** Finishes a link whose webhook doesn't arrive at n8n; returns its body. */
	finishUnheard(url: string, scenario: string): Promise<IDataObject>;
	/** Sends a webhook to the trigger, with the right secret. */
	send(body: IDataObject): Promise<Answer>;
	/** What went to the outputs of the trigger since the last call: one execution. */
	takeUndelivered(): Promise<Branches>;
	/** The newest link whose Custom Data begin so; an execution that runs doesn't show its own. */
	linkFor(customData: string): Promise<LinkRecord>;
}

/** A trigger for the results of `PROFILE`, for the tests of a file. */
export function useResults(api: N8nApi, sandboxInN8n: SandboxInN8n): Results {
	const { sandbox } = sandboxInN8n;
	const elsewhere = useReceiver();
	let trigger: LiveWorkflow;
	const query = `?secret=${WEBHOOK_SECRET}`;
	const directResultsTo = async (workflow: LiveWorkflow) =>
		await sandbox.setProfile(PROFILE, { webhookUrl: workflow.url(TRIGGER) + query });
	beforeAll(async () => {
		trigger = await LiveWorkflow.start(api, triggerFlow(sandboxInN8n.credentialId));
	});
	beforeEach(async () => await directResultsTo(trigger));
	return {
		get trigger() {
			return trigger;
		},
		directResultsTo,
		async finishUnheard(url, scenario) {
			await sandbox.setProfile(PROFILE, { webhookUrl: elsewhere.url });
			await sandbox.finishLink(url, scenario);
			await directResultsTo(trigger);
			return elsewhere.take().at(-1)?.body as IDataObject;
		},
		send: async (body) => await trigger.send(TRIGGER, body, { query }),
		takeUndelivered: async () => undeliveredOf(await trigger.takeExecution()),
		async linkFor(customData) {
			const find = async () => {
				const { links } = await sandbox.state();
				return links.filter((link) => link.customData.startsWith(customData)).at(-1);
			};
			return await poll(find, { what: `the link of ${customData}`, timeoutMs: 60_000 });
		},
	};
}

/** Items of a trigger that say why nobody took them. */
export function notDeliveredItems(reason: RegExp, item: object = {}): unknown[] {
	return [expect.objectContaining({ notDelivered: expect.stringMatching(reason), ...item })];
}
