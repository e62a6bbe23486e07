import type { IDataObject } from 'n8n-workflow';

import type { SentWebhook } from '../../../dev/sandbox/client';
import type { Execution } from '../../../dev/stack/execution';
import { openStack } from '../n8n/handle';
import { LiveWorkflow } from '../n8n/liveWorkflow';
import type { Answer } from '../n8n/liveWorkflow';
import { useService } from '../n8n/service';
import type { WorkflowNode } from '../n8n/workflow';
import { readExample } from './example';
import { useMailbox } from './mailbox';
import { runInEditor } from './run';

/** Of the examples' own profile. */
export const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';
const SECRET = 'secret-of-the-examples';

type Replace = Record<string, string>;

export interface ExampleOptions {
	/** What a user would replace, and by what; known when the tests run. */
	replace?: () => Replace | Promise<Replace>;
	/** Puts other nodes in place of some of them. */
	nodes?: (nodes: WorkflowNode[]) => WorkflowNode[];
}

/** An example in n8n, with a sandbox and a mail server of its own for the tests of a file. */
export function useExample(name: string, { replace, nodes }: ExampleOptions = {}) {
	const { api, n8nUrl, folder } = openStack();
	const service = useService(api, SECRET);
	const { sandbox } = service;
	const mailbox = useMailbox(api);
	let workflow: LiveWorkflow;
	beforeEach(() => void mailbox.take());
	const read = async (more: Replace = {}) => {
		const credentials = {
			identityVerificationApi: service.credentialId,
			smtp: mailbox.credentialId,
		};
		const all = { ...(await replace?.()), ...more };
		const file = await readExample(`${name}/workflow.json`, { credentials, replace: all });
		return nodes ? { ...file, nodes: nodes(file.nodes) } : file;
	};
	return {
		api,
		n8nUrl,
		folder,
		sandbox,
		mailbox,
		/** The example as it was started last. */
		get workflow() {
			return workflow;
		},
		/** Publishes it; results of its profile go to its trigger, if it has one. */
		async start(more?: Replace): Promise<void> {
			workflow = await LiveWorkflow.start(api, await read(more));
			await workflow.newExecutions();
			if (workflow.file.nodes.some((node) => node.name === TRIGGER)) await this.listen();
		},
		/** Sends the results of its profile to its trigger. */
		async listen(profile: object = {}): Promise<void> {
			const webhookUrl = `${workflow.url(TRIGGER)}?secret=${SECRET}`;
			await sandbox.setProfile(PROFILE, { webhookUrl, ...profile });
		},
		/** Selects *Execute workflow* at a trigger, without publishing it. */
		async run(triggerName: string, more?: Replace): Promise<Execution> {
			const file = await read(more);
			await api.saveWorkflow(file);
			return await runInEditor(api, file, triggerName);
		},
		/** Lets a link be finished; its result goes to the trigger. */
		async verify(customData: string, scenario: string): Promise<SentWebhook> {
			return await sandbox.verify({ profile: PROFILE, customData }, scenario);
		},
		/** Sends a result to the trigger that the sandbox has not made. */
		async receive(body: IDataObject): Promise<Answer> {
			return await workflow.send(TRIGGER, body, { query: `?secret=${SECRET}` });
		},
		/** The mails since the last call: to whom, and their text. */
		mails() {
			return mailbox.take().map(({ to, text }) => [to && 'text' in to && to.text, text]);
		},
	};
}
