import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { FORM_CREDENTIAL } from '../../../dev/stack/backend';
import { SPECIMEN } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { tellingValues } from '../../kit/data/personalValues';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { DELETE_AT_ONCE, TALKATIVE } from '../../kit/n8n/n8nSettings';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { triggerNode, workflowOf } from '../../kit/n8n/workflow';
import { Traces } from '../support/traces';
import { AS_TEAM, reportAfter, untilGone } from './support/pilotReport';
import { pageAt, postFields, postForm } from './support/postForm';
import type { Sent } from './support/postForm';

const PROFILE = 'sandbox-accept';
const SECRET = `only-for-this-run-${randomUUID()}`;
/** In the uploaded photo, and in the name of its file. */
const MARK = `image-${randomUUID()}`;
const FILE_NAME = `Alex-${randomUUID()}.jpg`;

const n8n = useOwnN8n({ ...TALKATIVE, ...DELETE_AT_ONCE });
const sandboxInN8n = useSandboxInN8n(n8n, SECRET);
const { sandbox } = sandboxInN8n;

let credentials: Record<string, string>;
let webhookUrl = '';
/** What tells something about the person of a result, and isn't in a new n8n anyway. */
let personal: string[];

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

const photo = async () => Buffer.concat([await readFile(SPECIMEN), Buffer.from(MARK)]);

async function start(file: string, replace: Record<string, string> = {}): Promise<LiveWorkflow> {
	const example = await readExample(`pilot/${file}`, { credentials, replace });
	return await LiveWorkflow.start(n8n.api, example);
}

/** Fills in its form. Returns the address of the second page, when that is there. */
async function fillIn({ file }: LiveWorkflow, fields: Sent[]): Promise<string> {
	const form = file.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	const next = await postForm(`${n8n.url}/form/${form?.webhookId}`, fields, AS_TEAM);
	await pageAt(next);
	return next;
}

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
	const file = () => photo().then((bytes) => new File([bytes], FILE_NAME, { type: 'image/jpeg' }));
	const hosts = new URL(sandbox.filesUrl).host;
	const files = [[await file()], [await file()]];
	const next = await fillIn(workflow, [PROFILE, webhookUrl, sandbox.url, hosts, ...files, '10000']);
	// It is there while the pilot runs.
	expect(await leftInN8n()).toContainEqual(expect.stringContaining(FILE_NAME));
	const { report, html } = await reportAfter(next, 'requests');
	const said = JSON.stringify(report) + html;
	await untilGone(workflow);

	expect(secrets().filter((value) => said.includes(value))).toEqual([]);
	await expectNothingLeft();
});

it('a link leaves nothing of the person, the key or the secret', async () => {
	const workflow = await start('link.json', {
		'everySeconds: 10': 'everySeconds: 1',
		'quietSeconds: 60': 'quietSeconds: 2',
	});
	const next = await fillIn(workflow, [PROFILE, webhookUrl]);
	await postFields(next, []);
	const page = await pageAt(next);
	const [, address = ''] = /<b>([^<]+)<\/b>/.exec(page) ?? [];
	await sandbox.setProfile(PROFILE, { webhookUrl: address });
	for (const [, url = ''] of page.matchAll(/<a href="([^"]+)" target="_blank"/g)) {
		await sandbox.finish(url, 'accept');
	}
	const { report, html } = await reportAfter(next, 'link');
	const said = JSON.stringify(report) + html;
	await untilGone(workflow);

	expect(said).toContain("<b>holds:</b> The trigger takes the service's own result.");
	expect(secrets().filter((value) => said.includes(value))).toEqual([]);
	await expectNothingLeft();
});
