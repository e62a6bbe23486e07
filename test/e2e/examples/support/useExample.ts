import type { IDataObject } from 'n8n-workflow';

import type { SentWebhook } from '../../../../dev/sandbox/client';
import { AS_BACKEND, BACKEND_CREDENTIAL, FORM_CREDENTIAL } from '../../../../dev/stack/backend';
import { itemsOf } from '../../../../dev/stack/execution';
import type { Execution } from '../../../../dev/stack/execution';
import { openStack } from '../../../kit/n8n/stack';
import { LiveWorkflow } from '../../../kit/n8n/liveWorkflow';
import type { Answer } from '../../../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../../../kit/n8n/sandboxInN8n';
import type { WorkflowNode } from '../../../kit/n8n/workflow';
import { readExample } from '../../../kit/n8n/examples/example';
import { useOutside } from './outside';
import { runInEditor } from '../../support/runInEditor';

/** Of the examples' own profile. */
export const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';
const SECRET = 'secret-of-the-examples';

type Replace = Record<string, string>;

export interface ExampleOptions {
	/** Of the example's folder; that of most is the only one. */
	file?: string;
	/** What a user would replace, and by what. */
	replace?: Replace;
	/** Puts other nodes in place of some of them. */
	nodes?: (nodes: WorkflowNode[]) => WorkflowNode[];
	/** IDs of credentials that not every example needs, by their types. */
	credentials?: Record<string, string>;
}

export type Example = ReturnType<typeof useExample>;

/**
 * An example in n8n, with a sandbox, a mail server, a CRM and a Slack of its own for the tests of a
 * file.
 */
export function useExample(
	name: string,
	{ file = 'workflow.json', replace, nodes, credentials: more }: ExampleOptions = {},
) {
	const { api, n8nUrl } = openStack();
	const sandboxInN8n = useSandboxInN8n(api, SECRET);
	const { sandbox } = sandboxInN8n;
	const outside = useOutside(api);
	let workflow: LiveWorkflow;
	let httpHeaderAuth = '';
	let httpBasicAuth = '';
	beforeAll(async () => {
		httpHeaderAuth = await api.saveCredential(BACKEND_CREDENTIAL);
		httpBasicAuth = await api.saveCredential(FORM_CREDENTIAL);
	});
	const read = async (replaceToo: Replace = {}) => {
		const credentials = {
			...more,
			identityVerificationApi: sandboxInN8n.credentialId,
			smtp: outside.credentialId,
			httpHeaderAuth,
			httpBasicAuth,
		};
		const settings = { credentials, replace: { ...replace, ...replaceToo } };
		const example = await readExample(`${name}/${file}`, settings, outside.addresses);
		return nodes ? { ...example, nodes: nodes(example.nodes) } : example;
	};
	return {
		api,
		sandboxInN8n,
		sandbox,
		outside,
		/** The example as it was started last. */
		get workflow() {
			return workflow;
		},
		/** Where its form is opened in a browser. */
		get formUrl() {
			const form = workflow.file.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
			const { path } = Object(form?.parameters.options) as { path?: string };
			return `${n8nUrl}/form/${path ?? form?.webhookId}`;
		},
		/** Publishes it; results of its profile go to its trigger, if it has one. */
		async start(more?: Replace): Promise<void> {
			workflow = await LiveWorkflow.start(api, await read(more));
			await workflow.takeExecutions();
			await this.directResults();
		},
		/** Sends the results of its profile to its trigger, if it has one. */
		async directResults(profile: object = {}): Promise<void> {
			if (!workflow.file.nodes.some((node) => node.name === TRIGGER)) return;
			const webhookUrl = `${workflow.url(TRIGGER)}?secret=${SECRET}`;
			await sandbox.setProfile(PROFILE, { webhookUrl, ...profile });
		},
		/** The one execution that started since the last call, when it has succeeded. */
		async takeSucceeded(): Promise<Execution> {
			const execution = await workflow.takeExecution();
			expect(execution.status).toBe('success');
			return execution;
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
		/** Sends JSON to its Webhook node, as the team's own backend does. */
		async sendAsBackend(nodeName: string, body: object): Promise<Answer> {
			return await workflow.send(nodeName, body, { headers: AS_BACKEND });
		},
		/** Sends a result to the trigger that the sandbox has not made. */
		async sendResult(body: IDataObject): Promise<Answer> {
			return await workflow.send(TRIGGER, body, { query: `?secret=${SECRET}` });
		},
		/** The steps that ran and have none behind them, with their items. */
		lastSteps(execution: Execution): Record<string, unknown[]> {
			const ahead = Object.keys(Object(workflow.file.connections) as object);
			const last = Object.keys(execution.data).filter((step) => !ahead.includes(step));
			return Object.fromEntries(last.map((step) => [step, itemsOf(execution, step)]));
		},
		/** The requests for links: whose they were, and what they cost. */
		async links() {
			const requests = (await sandbox.requests()).filter(({ path }) => path === '/hosted');
			return requests.map(({ customData, billed }) => ({ customData, billed }));
		},
		/** The mails since the last call: to whom, and their text. */
		takeMails() {
			return outside.takeMails().map(({ to, text }) => [to && 'text' in to && to.text, text]);
		},
	};
}

/** The same, published; its trigger gets the results of its profile. */
export function usePublished(name: string, options?: ExampleOptions): Example {
	const example = useExample(name, options);
	beforeAll(async () => await example.start());
	beforeEach(async () => await example.directResults());
	return example;
}
