import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { z } from 'zod/v4';

import { BACKEND_CREDENTIAL } from '../../dev/stack/backend';
import { readExamples } from '../../dev/stack/examples';
import { isFinished } from '../../dev/stack/execution';
import { startOutside } from '../../dev/stack/outside';
import type { Outside } from '../../dev/stack/outside';
import { ROOT, SPECIMEN } from '../../dev/stack/paths';
import { poll } from '../../dev/stack/poll';
import { addStartNote } from '../../dev/stack/startNote';
import { useBrowser } from '../kit/n8n/browser';
import { Editor } from '../kit/n8n/editor';
import { readExample } from '../kit/n8n/examples/example';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { savePicture } from '../kit/n8n/savePicture';
import { openStack } from '../kit/n8n/stack';
import { workflowOf } from '../kit/n8n/workflow';
import type { WorkflowNode } from '../kit/n8n/workflow';
import { useSteps } from './support/steps';

// What only a browser shows of the examples: the rest is in test/e2e/examples. On a phone: phone.

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** Between two notes on one canvas. */
const MARGIN = 100;
const PHONE = { width: 390, height: 640 };
const MAIL_WIDTH = 768;
const HOUR_MS = 60 * 60 * 1000;
const SECRET = 'webhook-secret-of-the-examples';

const identified = z.object({ id: z.string() });
const tables = z.object({ data: z.array(identified.extend({ name: z.string() })) });
const saved = z.object({ settings: z.record(z.string(), z.unknown()).default({}) });

const stack = openStack();
const { api, n8nUrl } = stack;
const browser = useBrowser();
const sandboxInN8n = useSandboxInN8n(api, SECRET);

let outside: Outside;
let credentials: Record<string, string>;
let page: Page;
const { step } = useSteps('examples', () => page);

beforeAll(async () => {
	outside = await startOutside(0);
	const key = { name: 'X-API-KEY', value: 'a-key' };
	credentials = {
		identityVerificationApi: sandboxInN8n.credentialId,
		smtp: await api.saveCredential(outside.credential),
		httpHeaderAuth: await api.saveCredential({ ...BACKEND_CREDENTIAL, data: key }),
		httpQueryAuth: await api.saveCredential({
			name: 'Stand-in',
			type: 'httpQueryAuth',
			data: { name: 'secret', value: SECRET },
		}),
	};
});
beforeEach(() => (page = browser.page));
afterAll(async () => await outside.close());

/** Adds rows to a Data Table. */
async function addRows(tableName: string, data: object[]): Promise<void> {
	const { id } = await api.get('/projects/personal', identified);
	const folder = `/projects/${id}/data-tables`;
	const found = (await api.get(folder, tables)).data.find(({ name }) => name === tableName);
	await api.post(`${folder}/${found?.id}/insert`, { data, returnType: 'count' }, z.unknown());
}

/** Publishes an example. */
async function start(name: string): Promise<LiveWorkflow> {
	const file = await readExample(`${name}/workflow.json`, { credentials }, outside.addresses);
	return await LiveWorkflow.start(api, file);
}

/** Selects *Execute workflow* at a trigger. Resolves when the execution has ended. */
async function run({ file }: LiveWorkflow, triggerName: string): Promise<void> {
	const id = await api.runWorkflow(file.id, triggerName);
	const hasEnded = async () => {
		const listed = (await api.listExecutions(file.id)).find((execution) => execution.id === id);
		return (listed && isFinished(listed)) || undefined;
	};
	await poll(hasEnded, { what: `execution ${id} to end`, timeoutMs: 60_000 });
}

async function openEditor(): Promise<Editor> {
	const editor = await Editor.open(await browser.newContext(), stack);
	({ page } = editor);
	return editor;
}

step('the editor shows the whole of each note', async () => {
	const examples = await readExamples();
	for (const example of examples) addStartNote(example);
	const notes = examples.flatMap(({ nodes }) => nodes.filter(({ type }) => type === STICKY_NOTE));
	const low = { ...notes[0], parameters: { ...notes[0]?.parameters, height: 80 } } as WorkflowNode;
	let top = 0;
	const placed = [...notes, low].map((note, index) => {
		const position = [0, top];
		top += Number(note.parameters.height) + MARGIN;
		return { ...note, id: `note-${index}`, name: `Note ${index}`, position };
	});
	const workflow = workflowOf(placed);
	await api.saveWorkflow(workflow);
	const editor = await openEditor();
	await page.goto(`${n8nUrl}/workflow/${workflow.id}`);
	const stickies = page.getByTestId('sticky');
	const areShown = async () => (await stickies.count()) === placed.length || undefined;
	await poll(areShown, { what: 'the notes to be shown', timeoutMs: 120_000 });

	const [title = ''] = String(low.parameters.content).replace(/^#+ /, '').split('\n');
	expect(await editor.cutOffNotes()).toEqual([title]);
});

step(
	'scan-an-upload, imported into the editor, keeps no documents once its steps were followed',
	async () => {
		const editor = await openEditor();
		const file = join(ROOT, 'examples', 'scan-an-upload', 'workflow.json');
		const id = await editor.importWorkflow(file);
		const read = async () => await api.get(`/workflows/${id}`, saved);
		// The editor imports no such setting, so the example's note has to name it.
		expect((await read()).settings).not.toHaveProperty('saveDataSuccessExecution');
		await editor.openMenu('Settings');
		await page.getByTestId('workflow-settings-save-success-executions').click();
		await page.getByRole('option', { name: 'Do not save' }).click();
		await page.getByRole('button', { name: 'Save', exact: true }).click();
		const isSet = async () =>
			(await read()).settings.saveDataSuccessExecution === 'none' || undefined;

		await poll(isSet, { what: 'the setting to be saved', timeoutMs: 30_000 });
	},
);

step(
	"n8n's page leaves out an empty file, so Several documents says how many were verified",
	async () => {
		const { file } = await start('several-documents');
		const form = file.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
		await page.goto(`${n8nUrl}/form/${form?.webhookId}`);
		await page.getByLabel('Customer Number').fill('4711');
		const [content, empty] = [readFileSync(SPECIMEN), Buffer.alloc(0)];
		const files = [content, empty].map((buffer, index) => {
			return { name: `${index}.jpg`, mimeType: 'image/jpeg', buffer };
		});
		await page.getByLabel('Documents').setInputFiles(files);
		await page.getByRole('button', { name: 'Check' }).click();
		await page.getByText('Your document has been verified.').waitFor();

		const requests = await sandboxInN8n.sandbox.requests();
		expect(requests.map(({ billed }) => billed)).toEqual([1]);
	},
);

step('Onboarding page shows the verification, and its QR code beside it', async () => {
	const workflow = await start('onboarding-page');
	await run(workflow, 'Set Up');
	await page.goto(`${workflow.url('Verification Page')}?customer=4711`);
	await page.getByRole('button', { name: 'Start' }).click();
	const heading = page.frameLocator('iframe').getByRole('heading');
	await heading.filter({ hasText: 'ID and Face Verification' }).waitFor();

	const qrCode = page.getByRole('img', { name: 'QR code of the verification' });
	const [frame, image] = [await page.locator('iframe').boundingBox(), await qrCode.boundingBox()];
	expect(image?.x).toBeGreaterThan((frame?.x ?? 0) + (frame?.width ?? 0));
	const width = "document.querySelector('aside img').naturalWidth";
	expect(await page.evaluate<number>(width)).toBeGreaterThan(100);
});

step('the page of a link of Stand-in begins with what it is, and fits a phone', async () => {
	const workflow = await start('stand-in');
	const body = { version: 3, mode: 0, profile: 'stand-in', customData: 'applicant-1' };
	const answer = await workflow.send('Hosted', body, { headers: { 'X-API-KEY': 'a-key' } });
	const context = await browser.newContext({ viewport: PHONE, deviceScaleFactor: 2 });
	page = await context.newPage();
	await page.goto(z.object({ url: z.string() }).parse(JSON.parse(answer.body)).url);

	expect(await page.innerText('body')).toMatch(/^\s*Nothing is checked here\n/);
	expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
	await savePicture(page, 'examples/stand-in/link.png', { x: 0, y: 0, ...PHONE, height: 380 });
	const waiting = (await workflow.list()).filter(({ status }) => status === 'waiting');
	for (const { id } of waiting) await api.stopExecution(id);
	await api.deactivate(workflow.file.id);
});

step('the mail of Weekly report has a bar for each number, and fits a mail program', async () => {
	const workflow = await start('weekly-report');
	await run(workflow, 'Try It without the Service');
	const at = (hours: number) => new Date(Date.now() - hours * HOUR_MS).toISOString();
	await addRows('Verification report', [
		{ reference: 'link-1', linkAt: at(48.1), resultAt: at(48), decision: 'accept' },
		{ reference: 'link-2', linkAt: at(51), resultAt: at(48), decision: 'accept' },
		{ reference: 'link-3', linkAt: at(78), resultAt: at(48), decision: 'review' },
		...['link-4', 'link-5'].map((reference) => ({ reference, linkAt: at(240) })),
	]);
	await run(workflow, 'Every Monday');
	await page.setContent(String(outside.mails.at(-1)?.html));

	expect(await page.getByRole('row').count()).toBeGreaterThan(8);
	const table = await page.getByRole('table').boundingBox();
	expect(table?.width).toBeLessThan(MAIL_WIDTH);
	const mail = await page.locator('div').first().boundingBox();
	const clip = { x: 0, y: 0, width: MAIL_WIDTH, height: (mail?.height ?? 0) + 48 };
	await savePicture(page, 'examples/weekly-report/report.png', clip);
	await api.deactivate(workflow.file.id);
});
