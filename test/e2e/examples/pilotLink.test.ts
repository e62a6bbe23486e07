import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { MARKER } from '../../kit/data/hostileText';
import { LINKS_AS_DOCUMENTED, verdictsOf } from '../../kit/data/pilotReport';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { triggerNode, workflowOf } from '../../kit/n8n/workflow';
import { until } from '../../kit/until';
import { DataTable } from './support/dataTable';
import { AS_TEAM, reportAfter, untilGone } from './support/pilotReport';
import { pageAt, postFields, postForm } from './support/postForm';
import { usePublished } from './support/useExample';

// What its report says of each difference is in test/docs/pilotLink.

const PROFILE = 'sandbox-accept';
const SECRET = 'secret-of-the-examples';

// What Plan has, so that a run takes seconds.
const example = usePublished('pilot', {
	file: 'link.json',
	replace: { 'everySeconds: 10': 'everySeconds: 1', 'quietSeconds: 60': 'quietSeconds: 2' },
});
const { api, sandbox, sandboxInN8n } = example;
const table = new DataTable(api, 'pilot', { file: 'link.json' });

let trigger: LiveWorkflow;
let address = '';

beforeAll(async () => {
	const result = triggerNode('Result', { credentialId: sandboxInN8n.credentialId });
	trigger = await LiveWorkflow.start(api, workflowOf([result], []));
	address = `${example.workflow.url('A Delivery')}?secret=${SECRET}`;
});
beforeEach(async () => await table.create());
afterAll(async () => await table.remove());

/** Fills in the form. Returns the address of its second page, and what that says. */
async function fillIn(): Promise<{ next: string; html: string }> {
	const webhookUrl = `${trigger.url('Result')}?secret=${SECRET}`;
	const next = await postForm(example.formUrl, [PROFILE, webhookUrl, 'n8n 2.41.1'], AS_TEAM);
	return { next, html: await pageAt(next) };
}

/** Selects *Start*, up to the page with the links. Returns what that says, and the links. */
async function start(next: string): Promise<{ html: string; urls: string[] }> {
	await postFields(next, []);
	const html = await pageAt(next);
	const urls = [...html.matchAll(/<a href="([^"]+)" target="_blank"/g)].map(([, url = '']) => url);
	return { html, urls };
}

it('finds all as documented, pays for two links, and passes both results on', async () => {
	await table.add({ run: 'older', kind: 'link', link: 1, customData: '1-of-an-older-run' });
	const { next, html: plan } = await fillIn();
	expect(plan).toContain('2 links will be created.');
	expect(await sandbox.requests()).toEqual([]);
	const { html: page, urls } = await start(next);

	expect(page).toContain(`<b>${address}</b>`);
	expect(urls).toHaveLength(2);
	expect(JSON.stringify(await table.rows())).not.toContain('of-an-older-run');
	await sandbox.setProfile(PROFILE, { webhookUrl: address });
	for (const url of urls) await sandbox.finish(url, 'accept');
	await until('both to be noted', async () => (await table.rows()).length === 4);
	const rows = JSON.stringify(await table.rows());
	for (const value of [SECRET, 'SPECIMEN', 'decision']) expect(rows).not.toContain(value);
	const { report, html } = await reportAfter(next, 'link');
	await untilGone(example.workflow);

	expect(verdictsOf(report)).toEqual(LINKS_AS_DOCUMENTED);
	expect(report).toMatchObject({
		verdict: 'Go live.',
		stopped: null,
		requests: { sent: 2, allowed: 2 },
	});
	expect(html).toContain('<b>Go live.</b>');
	expect(html).toContain("<b>holds:</b> The trigger takes the service's own result.");
	expect(html).toContain('Find out by hand how long a link lives');
	expect(html).toContain("<b>Put the trigger's address back into the profile, and unpublish");
	expect(await trigger.takeExecutions(2)).toHaveLength(2);
	expect(await table.rows()).toEqual([]);
	const requests = await sandbox.requests();
	expect(requests.map(({ path }) => path)).toEqual(['/hosted', '/hosted']);
});

it('shows what somebody with a link sends as text, and answers 503 when no pilot runs', async () => {
	await sandbox.setManners('customDataLowerCase');
	const { next } = await fillIn();
	const { urls } = await start(next);
	await sandbox.setProfile(PROFILE, { webhookUrl: address });
	for (const url of urls) await sandbox.finish(url, 'accept');
	await until('both results to be noted', async () => (await table.rows()).length === 4);
	const [, link] = await table.rows();
	const stranger = await fetchN8n(example.workflow.url('A Delivery'), {
		method: 'PUT',
		headers: { 'content-type': `text/<b>${MARKER}</b>`, "x-'&`-hmac": '1' },
		body: JSON.stringify({ hosted: link?.reference, customData: '<b>' }),
	});
	expect(stranger.status).toBe(404);
	// Its profile sends the results of others here, too.
	await sandbox.verify({ profile: PROFILE, customData: 'applicant-of-another' }, 'aml');
	await until('three to be noted', async () => (await table.rows()).length === 5);
	expect(JSON.stringify(await table.rows())).not.toContain('applicant-of-another');
	const { report, html } = await reportAfter(next, 'link');
	await untilGone(example.workflow);

	expect(report.verdict).toBe(
		'Change 2 settings: Webhook URL of the profile; Custom Data. ' +
			'Ask the service about the method of its webhooks; the content type of its webhooks.',
	);
	const seen = Object.fromEntries(report.lines.map((line) => [line.id, line.seen]));
	expect(seen).toMatchObject({
		'trigger-takes-it': 'status 200, status 404',
		'webhook-method': 'POST, PUT',
		'webhook-type': `application/json, text/<b>${MARKER}</b>`,
		'custom-data': 'lower case',
	});
	expect(html).toContain(`Seen: application/json, text/&lt;b&gt;${MARKER}&lt;/b&gt;\n`);
	expect(html).not.toContain(`<b>${MARKER}`);
	expect(seen['webhook-headers']).toContain("x-'&`-hmac");

	for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
		expect((await fetchN8n(address, { method })).status).toBe(503);
	}
	expect(await trigger.takeExecutions(3)).toHaveLength(3);
});
