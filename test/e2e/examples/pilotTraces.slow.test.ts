import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

import { FORM_CREDENTIAL, FORM_LOGIN } from '../../../dev/stack/backend';
import { SPECIMEN } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { tellingValues } from '../../kit/data/personalValues';
import { useBrowser } from '../../kit/n8n/browser';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { DELETE_AT_ONCE, TALKATIVE } from '../../kit/n8n/n8nSettings';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { triggerNode, workflowOf } from '../../kit/n8n/workflow';
import { Traces } from '../support/traces';
import { reportAfter, untilGone } from './support/pilotReport';

const PROFILE = 'sandbox-accept';
const SECRET = `only-for-this-run-${randomUUID()}`;
/** In the uploaded photo, and in the name of its file. */
const MARK = `image-${randomUUID()}`;
const FILE_NAME = `Alex-${randomUUID()}.jpg`;

const n8n = useOwnN8n({ ...TALKATIVE, ...DELETE_AT_ONCE });
const sandboxInN8n = useSandboxInN8n(n8n, SECRET);
const { sandbox } = sandboxInN8n;
const browser = useBrowser();

let credentials: Record<string, string>;
let webhookUrl = '';
/** What tells something about the person of a result, and isn't in a new n8n anyway. */
let personal: string[];
let page: Page;

beforeAll(async () => {
	const { credentialId } = sandboxInN8n;
	const httpBasicAuth = await n8n.api.saveCredential(FORM_CREDENTIAL);
	credentials = { identityVerificationApi: credentialId, httpBasicAuth };
	// What the team's own workflow stores is the team's.
	const trigger = triggerNode('Result', { credentialId, parameters: { output: 'decisionOnly' } });
	const workflow = await LiveWorkflow.start(n8n.api, workflowOf([trigger], []));
	webhookUrl = `${workflow.url('Result')}?secret=${SECRET}`;
	const document = (await photo()).toString('base64');
	const answer = await sandbox.call('/scan', { profile: PROFILE, document });
	const values = tellingValues((await answer.json()) as Record<string, never>);
	personal = (await Traces.in(n8n.folder)).missing(values);
});

beforeEach(async () => {
	const { user: username, password } = FORM_LOGIN;
	page = await (await browser.newContext({ httpCredentials: { username, password } })).newPage();
});
afterEach(async () => await page.context().close());

const photo = async () => Buffer.concat([await readFile(SPECIMEN), Buffer.from(MARK)]);

async function start(file: string, replace: Record<string, string> = {}): Promise<LiveWorkflow> {
	const example = await readExample(`pilot/${file}`, { credentials, replace });
	return await LiveWorkflow.start(n8n.api, example);
}

/** Opens its form, and fills in these fields. */
async function fillIn({ file }: LiveWorkflow, fields: Record<string, string>): Promise<void> {
	const form = file.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	await page.goto(`${n8n.url}/form/${form?.webhookId}`);
	const usual = { Profile: PROFILE, 'Webhook URL': webhookUrl, 'Credits Now': '10000' };
	for (const [label, text] of Object.entries({ ...usual, ...fields })) {
		await page.getByLabel(label).fill(text);
	}
}

const select = async (name: string) => await page.getByRole('button', { name }).click();

/**
 * Where n8n still has something of the person, the key or the secret. The raw files of SQLite hold
 * what was deleted until it is overwritten.
 */
async function leftInN8n(): Promise<string[]> {
	const found = (await Traces.in(n8n.folder)).find(secrets());
	return found.filter((place) => !place.includes('.sqlite'));
}

async function expectNothingLeft(): Promise<void> {
	const isDeleted = async () => (await leftInN8n()).length === 0 || undefined;
	const options = { what: 'the executions to be deleted', timeoutMs: 60_000, intervalMs: 1_000 };
	await poll(isDeleted, options).catch(() => undefined);
	expect(await leftInN8n()).toEqual([]);
}

const secrets = () => [...personal, MARK, FILE_NAME, SECRET, sandbox.apiKey];

it('looks for names, numbers and dates', () => {
	expect(personal).toEqual(expect.arrayContaining(['ALEX SPECIMEN']));
	expect(personal.length).toBeGreaterThan(10);
});

it('the requests leave nothing of the person, the files, the key or the secret', async () => {
	const workflow = await start('workflow.json');
	const File = { name: FILE_NAME, mimeType: 'image/jpeg', buffer: await photo() };
	const hosts = new URL(sandbox.filesUrl).host;
	await fillIn(workflow, { 'Base URL': sandbox.url, 'File Hosts': hosts });
	await page.getByLabel('Photo').setInputFiles(File);
	await page.getByLabel('Files to Try').setInputFiles(File);
	await select('Continue');
	await page.getByRole('button', { name: 'Start' }).waitFor();
	// It is there while the pilot runs.
	expect(await leftInN8n()).toContainEqual(expect.stringContaining(FILE_NAME));
	const { report, text } = await reportAfter(page, 'Start', 'requests');
	const said = JSON.stringify(report) + text;
	await untilGone(workflow);

	expect(secrets().filter((value) => said.includes(value))).toEqual([]);
	await expectNothingLeft();
});

it('a link leaves nothing of the person, the key or the secret', async () => {
	const workflow = await start('link.json', {
		'\\"everySeconds\\": 10': '\\"everySeconds\\": 1',
		'\\"quietSeconds\\": 60': '\\"quietSeconds\\": 2',
	});
	await fillIn(workflow, {});
	await select('Continue');
	await select('Start');
	const address = await page.locator('.card b').first().innerText();
	await sandbox.setProfile(PROFILE, { webhookUrl: address });
	const urls = await page.locator('.card a').allInnerTexts();
	for (const url of urls) await sandbox.finish(url, 'accept');
	const { report, text } = await reportAfter(page, 'Continue', 'link');
	const said = JSON.stringify(report) + text;
	await untilGone(workflow);

	expect(said).toContain("holds: The trigger takes the service's own result.");
	expect(secrets().filter((value) => said.includes(value))).toEqual([]);
	await expectNothingLeft();
});
