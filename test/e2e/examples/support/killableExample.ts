import type { IDataObject } from 'n8n-workflow';

import { startOutside } from '../../../../dev/stack/outside';
import type { Outside } from '../../../../dev/stack/outside';
import { poll } from '../../../../dev/stack/poll';
import { readExample } from '../../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../../kit/n8n/liveWorkflow';
import { useOwnN8n } from '../../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../../kit/n8n/sandboxInN8n';
import { DEADLINE } from '../../../kit/n8n/waitingFlow';
import { PROFILE } from './useExample';
import { waitBefore } from './waitBefore';

const SECRET = 'secret-of-the-examples';
const TRIGGER = 'Verification Completed';

/** An example in an n8n of its own, which a test can kill, with a sandbox and a mailbox. */
export function useKillableExample(name: string) {
	const n8n = useOwnN8n({});
	const sandboxInN8n = useSandboxInN8n(n8n, SECRET);
	let mailbox: Outside;
	beforeAll(async () => (mailbox = await startOutside(0)));
	afterAll(async () => await mailbox.close());
	return {
		n8n,
		sandbox: sandboxInN8n.sandbox,
		get mails() {
			return mailbox.mails;
		},
		/** Publishes it, with a pause before a step. Results of its profile go to its trigger. */
		async start(
			step: string,
			seconds: number,
			replace: Record<string, string> = {},
		): Promise<LiveWorkflow> {
			const smtp = await n8n.api.saveCredential(mailbox.credential);
			const credentials = { smtp, identityVerificationApi: sandboxInN8n.credentialId };
			const settings = { credentials, replace: { ...waitBefore(step, seconds), ...replace } };
			const file = await readExample(`${name}/workflow.json`, settings);
			const workflow = await LiveWorkflow.start(n8n.api, file);
			const webhookUrl = `${workflow.url(TRIGGER)}?secret=${SECRET}`;
			await sandboxInN8n.sandbox.setProfile(PROFILE, { webhookUrl });
			return workflow;
		},
		/** The newest execution of a workflow that has just been started. */
		async newestId(workflow: LiveWorkflow): Promise<string> {
			const isListed = async () => (await workflow.list())[0]?.id;
			return await poll(isListed, { what: 'the execution', ...DEADLINE });
		},
		/** Resolves when n8n has saved that a step of an execution is done. */
		async untilSaved(id: string, step: string): Promise<void> {
			const isSaved = async () => step in (await n8n.api.getExecution(id)).data || undefined;
			await poll(isSaved, { what: `${step} to be saved`, ...DEADLINE });
		},
		/** Sends a result to its trigger. */
		async sendResult(workflow: LiveWorkflow, result: IDataObject): Promise<void> {
			await workflow.send(TRIGGER, result, { query: `?secret=${SECRET}` });
		},
	};
}
