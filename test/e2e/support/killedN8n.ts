import { deliverMany } from '../../kit/n8n/delivery/delivery';
import type { Way } from '../../kit/n8n/delivery/delivery';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { openStack } from '../../kit/n8n/stack';
import { TRIGGER, triggerFlow } from '../../kit/n8n/waitingFlow';

/** Its results go to the trigger. */
export const PROFILE = 'killed';

/** An n8n that a file's tests kill, with a trigger for the results of the common sandbox. */
export function useKilledN8n(env: Parameters<typeof useOwnN8n>[0]) {
	const { sandbox, credential } = openStack();
	const n8n = useOwnN8n(env);
	let way: Way;
	let trigger: LiveWorkflow;
	beforeAll(async () => {
		const { name, type, data } = credential;
		const { api, url } = n8n;
		const credentialId = await api.saveCredential({ name, type, data });
		const webhookSecret = String(data.webhookSecret);
		way = { sandbox, api, webhookUrl: url, credentialId, webhookSecret };
		trigger = await LiveWorkflow.start(api, triggerFlow(credentialId));
		await sandbox.setProfile(PROFILE, { webhookUrl: webhookUrl() });
	});
	/** Of the trigger, with its secret. */
	const webhookUrl = () => `${trigger.url(TRIGGER)}?secret=${way.webhookSecret}`;
	return {
		n8n,
		sandbox,
		get way() {
			return way;
		},
		get trigger() {
			return trigger;
		},
		webhookUrl,
		/** Of flows that wait for results of the profile. */
		options: () => ({ credentialId: way.credentialId, profile: PROFILE }),
		/** Sends so many results, and kills n8n while they arrive. */
		deliverWhileKilled: async (count: number) =>
			await deliverMany(way, {
				// The sandbox is shared with a file that sends another number.
				name: `n8n-killed-${count}`,
				count,
				secondsEach: 3,
				pauseMs: 800,
				disturb: async () => await n8n.crash(),
			}),
	};
}
