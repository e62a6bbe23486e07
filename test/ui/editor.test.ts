import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';

import { SPECIMEN } from '../../dev/stack/paths';
import { OWNER, filesFolder } from '../../dev/stack/stack';
import { openStack } from '../kit/n8n/stack';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { AWAITED, TRIGGER as LIVE_TRIGGER, triggerFlow } from '../kit/n8n/waitingFlow';
import {
	actionNode,
	agentToolNode,
	imageNodes,
	triggerNode,
	webhookNode,
	workflowOf,
} from '../kit/n8n/workflow';
import { useBrowser } from '../kit/n8n/browser';
import { Editor } from '../kit/n8n/editor';
import { parameters } from '../kit/n8n/editorLabels';
import { savePicture } from '../kit/n8n/savePicture';
import { useSandbox } from '../kit/service/sandbox';
import { Complaints } from './support/complaints';
import { NodePanel } from '../kit/n8n/nodePanel';
import { OpenNode } from '../kit/n8n/openNode';
import { useSteps } from './support/steps';

const APP = 'Identity Verification';
const ON_RESULT = 'On new Identity Verification event';
const TRIGGER = 'Identity Verification Trigger';
/** Actions, and the names that n8n gives to the nodes. */
const LINK = 'Create hosted verification link';
const SCAN = 'Scan identity document';
const WAIT = 'Wait for result of hosted link';
/** What people type who look for such a node. */
const SEARCHED = [
	...['verify', 'ID check', 'KYC', 'AML', 'passport', 'driver license', 'document', 'selfie'],
	...['face match', 'scan', 'hosted link', 'onboarding', 'id card', 'driving licence', 'sanctions'],
	...['fraud', 'compliance', 'biometric', 'age verification'],
];
const MANUAL_TRIGGER = 'When clicking ‘Execute workflow’';
const CREDENTIAL = 'Identity Verification account';
const WEBHOOK_SECRET = 'webhook-secret-of-a-person';
const PROFILE = 'sandbox-accept';
const WINDOW = { width: 1400, height: 900 };

const { api, n8nUrl, folder } = openStack();
const sandbox = useSandbox();
const browser = useBrowser();
const complaints = new Complaints();

let editor: Editor;
let nodePanel: NodePanel;
let node: OpenNode;

const { step, shoot } = useSteps('editor', () => editor.page);

// One window for all steps, as a person has it.
beforeAll(async () => {
	const context = await browser.newContext();
	await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: n8nUrl });
	await complaints.listen(context, n8nUrl);
	editor = await Editor.openLogin(context, n8nUrl);
	await editor.page.setViewportSize(WINDOW);
	nodePanel = new NodePanel(editor.page);
	node = new OpenNode(editor.page);
});

async function expectLoaded(image: Locator): Promise<void> {
	const isLoaded = await image.evaluate(
		async (element: { decode(): Promise<void> }) =>
			await element.decode().then(
				() => true,
				() => false,
			),
	);
	expect(isLoaded).toBe(true);
}

async function credentialOfSandbox(): Promise<string> {
	const data = { apiKey: sandbox.apiKey, baseUrl: sandbox.url, webhookSecret: WEBHOOK_SECRET };
	return await api.saveCredential({ name: CREDENTIAL, type: 'identityVerificationApi', data });
}

/** Publishes a trigger, as somebody has done before a workflow can wait for a result. */
async function publishTrigger(): Promise<LiveWorkflow> {
	return await LiveWorkflow.start(api, triggerFlow(await credentialOfSandbox()));
}

describe('a person in the editor', () => {
	step('logs in', async () => {
		await editor.logIn(OWNER);
	});

	step('finds the trigger and the actions in the node panel', async () => {
		const { page } = editor;
		await editor.newWorkflow();
		await nodePanel.open();
		await nodePanel.search('identity');
		const app = page.getByTestId('item-iterator-item').filter({ hasText: APP });
		await app.waitFor();
		expect(await app.count()).toBe(1);
		expect(await app.textContent()).toMatch(/Scan ID documents.*start workflows/);
		await shoot('search');

		await app.click();
		await nodePanel.unfold('Triggers', ON_RESULT);
		await nodePanel.unfold('Actions', SCAN);
		const names = await page.getByTestId('node-creator-item-name').allTextContents();
		expect(names.map((name) => name.trim())).toEqual([
			ON_RESULT,
			LINK,
			'Download files of result',
			SCAN,
			WAIT,
		]);
		await savePicture(page, 'docs/images/node-panel.png', await nodePanel.box());
	});

	step('finds the node under other names', async () => {
		await editor.newWorkflow();
		await nodePanel.open();
		const missing: string[] = [];
		for (const text of SEARCHED) {
			if (!(await nodePanel.finds(text, APP))) missing.push(text);
		}
		expect(missing).toEqual([]);
	});

	step('puts both nodes on the canvas', async () => {
		const { page } = editor;
		await editor.newWorkflow();
		await nodePanel.open();
		await nodePanel.add('identity', 'Triggers', ON_RESULT);
		await node.close();
		await nodePanel.open();
		await nodePanel.add('identity', 'Actions', LINK);
		await node.close();

		await editor.node(LINK).getByText('Create Hosted Link', { exact: true }).waitFor();
		expect(await page.getByTestId('canvas-node').count()).toBe(2);
	});

	step('sees three labeled outputs at the trigger, and the icon in both themes', async () => {
		const { page } = editor;
		const trigger = editor.node(TRIGGER);
		const outputs = trigger.getByTestId('canvas-node-output-handle');
		expect(await outputs.allTextContents()).toEqual(['Review', 'Accept', 'Reject']);
		await page.emulateMedia({ colorScheme: 'dark' });
		await expectLoaded(trigger.locator('img[src$=".dark.svg"]'));
		await shoot('dark');
		await page.emulateMedia({ colorScheme: 'light' });
		await expectLoaded(trigger.locator('img:not([src$=".dark.svg"])'));
	});

	step('creates a credential, and its test passes', async () => {
		await editor.openNode(LINK);
		await node.chooseCredential('Create new credential');
		await node.fill('apiKey', sandbox.apiKey);
		await node.fill('baseUrl', sandbox.url);
		await node.fill('webhookSecret', WEBHOOK_SECRET);
		await shoot('credential');
		await node.saveCredential();
		await editor.page.getByText('Credential successfully created').waitFor();

		await node.editCredential();
		await editor.page.getByText('Connection tested successfully').waitFor();
	});

	step('reads what is wrong with a credential', async () => {
		const { page } = editor;
		await node.fill('apiKey', 'another-key');
		await node.saveCredential();
		await page.getByText('Couldn’t connect with these settings').waitFor();
		await page.getByText('More details').click();
		await page.getByText('The service refused this API key, or a firewall').waitFor();
		await shoot('refused');

		await node.fill('apiKey', sandbox.apiKey);
		await node.saveCredential();
		await page.getByText('Connection tested successfully').waitFor();
	});

	step('scans a file', async () => {
		const document = join(filesFolder(folder), 'document.jpg');
		await copyFile(SPECIMEN, document);
		await editor.newWorkflow();
		await nodePanel.open();
		await editor.page.getByText('Trigger manually').click();
		await nodePanel.openBehind(editor.node(MANUAL_TRIGGER));
		await nodePanel.add('Read/Write Files from Disk', 'Actions', 'Read File(s) From Disk');
		await node.fill('fileSelector', document);
		await node.close();
		await nodePanel.openBehind(editor.node('Read/Write Files from Disk'));
		await nodePanel.add('identity', 'Actions', SCAN);
		await node.chooseCredential(CREDENTIAL);
		await node.fill('profile', 'sandbox-expired');
		await node.fill('documentBinaryField', 'data');
		await node.execute();

		expect(await node.openBranch()).toMatch(
			/^Review Branch\s+Accept Branch\s+Reject Branch \(1 item\)$/,
		);
		const fields = await node.readFields();
		expect(fields).toMatch(/decision\s+reject/);
		expect(fields).toMatch(/lastName\s+SPECIMEN/);
		expect(fields).toMatch(/documentNumber\s+\S+\d{4}/);
		expect(await sandbox.billed()).toBe(1);
	});

	step('receives the result of an end user at the branch of its decision', async () => {
		const { page } = editor;
		await editor.newWorkflow();
		await nodePanel.open();
		await nodePanel.add('identity', 'Triggers', ON_RESULT);
		await node.chooseCredential(CREDENTIAL);
		await page.getByText('Webhook URLs', { exact: true }).click();
		await page.getByText('/webhook-test/').click();
		await page.getByText('URL copied').waitFor();
		const url = await page.evaluate<string>('navigator.clipboard.readText()');
		await page.getByTestId('trigger-execute-button').click();
		await page.getByText('Listening for test event').waitFor();
		await shoot('listening');

		const webhookUrl = `${url}?secret=${WEBHOOK_SECRET}`;
		await sandbox.setProfile('sandbox-accept', { webhookUrl });
		const endUser = browser.page;
		await endUser.goto((await sandbox.link({ customData: 'applicant-4711' })).url);
		await shoot('hosted page', endUser);
		await endUser.getByRole('button', { name: 'Review: text hard to read' }).click();
		await endUser.getByRole('heading', { name: 'Verification finished' }).waitFor();

		expect(await node.openBranch()).toMatch(
			/^Review Branch \(1 item\)\s+Accept Branch\s+Reject Branch$/,
		);
		const fields = await node.readFields();
		expect(fields).toMatch(/decision\s+review/);
		expect(fields).toMatch(/customData\s+applicant-4711/);
		const panel = await editor.panels('output-panel');
		await savePicture(page, 'docs/images/trigger-result.png', { ...panel, height: 480 });
	});

	step('puts Wait for Result behind a link, and sees an output for each end', async () => {
		await editor.page.setViewportSize(WINDOW);
		await editor.newWorkflow();
		await nodePanel.open();
		await editor.page.getByText('Trigger manually').click();
		await nodePanel.openBehind(editor.node(MANUAL_TRIGGER));
		await nodePanel.add('identity', 'Actions', LINK);
		await node.chooseCredential(CREDENTIAL);
		await node.fill('profile', PROFILE);
		await node.fill('customData', 'applicant-4711');
		await node.close();
		await nodePanel.openBehind(editor.node(LINK));
		await nodePanel.add('identity', 'Actions', WAIT);
		await node.chooseCredential(CREDENTIAL);
		expect(await node.valueOf('operation')).toBe('Wait for Result');
		expect(await node.valueOf('waitUpTo')).toBe('7');
		expect(await node.valueOf('waitUnit')).toBe('Days');
		await shoot('wait for result');
		await node.close();

		await editor.node(WAIT).getByText('Wait for Result', { exact: true }).waitFor();
		const outputs = editor.node(WAIT).getByTestId('canvas-node-output-handle');
		expect(await outputs.allTextContents()).toEqual(AWAITED);
	});

	step('sees a test run wait, and go on at the branch of the result', async () => {
		const { page } = editor;
		const live = await publishTrigger();
		const webhookUrl = `${live.url(LIVE_TRIGGER)}?secret=${WEBHOOK_SECRET}`;
		await sandbox.setProfile(PROFILE, { webhookUrl });
		await page.getByTestId('execute-workflow-button').click();
		await editor.openNode(WAIT);
		const waiting = 'Waiting for the end user to complete the verification';
		await node.output.getByText(waiting).waitFor();
		await shoot('waiting');

		const [link] = (await sandbox.state()).links;
		await sandbox.finishLink(link?.url ?? '', 'accept');
		expect(await node.openBranch()).toMatch(
			/^No Result Branch\s+Review Branch\s+Accept Branch \(1 item\)\s+Reject Branch$/,
		);
		expect(await live.takeExecutions()).toEqual([]);
		const fields = await node.readFields();
		expect(fields).toMatch(/decision\s+accept/);
		expect(fields).toMatch(/customData\s+applicant-4711/);
		await shoot('awaited result');
		await node.close();
	});

	step(
		'selects Retry at an execution that has failed, and pays only for what has failed',
		async () => {
			const { page } = editor;
			const { nodes, connections } = imageNodes('Start', 'Image');
			const options = { maxParallelRequests: 1 };
			const parameters = { operation: 'scan', profile: PROFILE, options };
			const scan = actionNode('Scan', { parameters, credentialId: await credentialOfSandbox() });
			const live = await LiveWorkflow.start(
				api,
				workflowOf([webhookNode('Start'), ...nodes, scan], [...connections, ['Image', 'Scan']]),
			);
			await sandbox.fault({ on: 'scan', kind: 'unauthorized', skip: 1 });
			const document = (await readFile(SPECIMEN)).toString('base64');
			await live.send('Start', { images: [document, document] });
			await live.takeExecution();
			const paid = await sandbox.billed();

			await page.goto(`${n8nUrl}/workflow/${live.file.id}/executions`);
			await page.getByTestId('execution-preview-retry-button').click();
			await shoot('retry');
			await page.getByRole('menuitem', { name: /original workflow/ }).click();
			expect((await live.takeExecution()).status).toBe('success');
			expect([paid, await sandbox.billed()]).toEqual([1, 2]);
		},
	);

	step(
		'chooses what the model gets, where the image of a tool comes from, and no waiting',
		async () => {
			const { page } = editor;
			const parameters = { operation: 'scan', output: 'decisionAndFields' };
			const workflow = workflowOf([agentToolNode('Tool', { parameters })]);
			await api.saveWorkflow(workflow);
			await editor.openWorkflow(workflow);
			await page.setViewportSize(WINDOW);
			await editor.openNode('Tool');
			await page.getByPlaceholder("$('Node with the File').item.binary.data").waitFor();
			expect(await node.shows('documentFields')).toBe(true);
			await shoot('tool');
			expect(await node.choicesOf('output')).toEqual([
				...['Decision and Fields', 'Decision Only', 'Raw', 'Simplified'],
			]);
			await node.close();
			await editor.openNode('Tool');
			const operations = await node.choicesOf('operation');
			expect(operations).toContain('Create Hosted Link');
			expect(operations).not.toContain('Wait for Result');
		},
	);

	step('chooses which fields of the document a result has', async () => {
		const parameters = { output: 'decisionAndFields', documentFields: ['fields.age'] };
		const workflow = workflowOf([triggerNode('Trigger', { parameters })]);
		await api.saveWorkflow(workflow);
		await editor.openWorkflow(workflow);
		await editor.openNode('Trigger');
		await editor.page.getByText('Document: Age', { exact: true }).first().waitFor();
		expect(await node.shows('documentFields')).toBe(true);
		await shoot('chosen fields');
		expect(await node.choicesOf('output')).toEqual([
			...['Decision and Fields', 'Decision Only', 'Raw', 'Simplified'],
		]);
		await node.close();
	});

	step('reads every parameter, and its choices to the end', async () => {
		const timing = { maxParallelRequests: 0, timeout: 120 };
		const files = [{ requestField: 'documentBack', binaryField: 'back' }];
		const paid = { additionalFiles: { files }, maxRateLimitWait: 5, sendOtherFileTypes: true };
		const link = { qrCodeBinaryField: 'qrCode' };
		const actions: Record<string, object> = {
			scan: { documentSource: 'base64', options: { ...timing, ...paid } },
			createHostedLink: { mode: 2, options: { ...timing, ...paid, ...link } },
			downloadFiles: { options: { ...timing, maxFileSize: 100 } },
			waitForResult: {},
		};
		const nodes = [
			triggerNode('trigger', { parameters: { options: { profiles: '' } } }),
			...Object.entries(actions).map(([operation, settings]) =>
				actionNode(operation, { parameters: { operation, ...settings } }),
			),
		];
		nodes.forEach((placed, index) => Object.assign(placed, { position: [index * 240, 0] }));
		const workflow = workflowOf(nodes);
		await api.saveWorkflow(workflow);
		await editor.openWorkflow(workflow);
		await editor.page.setViewportSize({ ...WINDOW, height: 1250 });
		const lists = new Set(
			parameters.filter(({ type }) => type === 'options').map(({ name }) => name),
		);
		const unread = new Set(lists);
		for (const { name } of nodes) {
			await editor.openNode(name);
			for (const list of lists) {
				if (!(await node.shows(list))) continue;
				expect({ [list]: await node.cutTextsOf(list) }).toEqual({ [list]: [] });
				unread.delete(list);
			}
			await shoot(name);
			await node.close();
		}
		expect([...unread]).toEqual([]);
	});

	it('meets no error of the package', async () => {
		expect(await complaints.ofPackage()).toEqual([]);
	});
});
