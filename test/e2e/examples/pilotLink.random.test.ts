import type { Page } from 'playwright-core';

import type { MannerName } from '../../../dev/sandbox/manners';
import { FORM_LOGIN } from '../../../dev/stack/backend';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { LINKS_AS_DOCUMENTED, verdictsOf } from '../../kit/data/pilotReport';
import type { PilotReport } from '../../kit/data/pilotReport';
import { someOf } from '../../kit/runs';
import { until } from '../../kit/until';
import { useBrowser } from '../../kit/n8n/browser';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { triggerNode, workflowOf } from '../../kit/n8n/workflow';
import { DataTable } from './support/dataTable';
import { reportAfter, untilGone } from './support/pilotReport';
import { usePublished } from './support/useExample';

const PROFILE = 'sandbox-accept';
const SECRET = 'secret-of-the-examples';
/** Ten minutes take ten seconds. */
const CLOCK = 60;

// What Limits has, so that a run takes seconds.
const example = usePublished('pilot', {
	file: 'link.json',
	replace: {
		'\\"mostMinutes\\": 30': '\\"mostMinutes\\": 0.3',
		'\\"everySeconds\\": 10': '\\"everySeconds\\": 1',
		'\\"quietSeconds\\": 60': '\\"quietSeconds\\": 2',
		'\\"lateSeconds\\": 300': '\\"lateSeconds\\": 5',
	},
});
const { api, sandbox, sandboxInN8n } = example;
const browser = useBrowser();
const table = new DataTable(api, 'pilot', { file: 'link.json' });

let trigger: LiveWorkflow;
let webhookUrl = '';
let page: Page;

beforeAll(async () => {
	const result = triggerNode('Result', { credentialId: sandboxInN8n.credentialId });
	trigger = await LiveWorkflow.start(api, workflowOf([result], []));
	webhookUrl = `${trigger.url('Result')}?secret=${SECRET}`;
});
afterAll(async () => await table.remove());

beforeEach(async () => {
	await sandbox.setClock(CLOCK);
	await trigger.takeExecutions();
	const { user: username, password } = FORM_LOGIN;
	page = await (await browser.newContext({ httpCredentials: { username, password } })).newPage();
});
afterEach(async () => {
	await page.context().close();
	// Only a test that failed half-way leaves one behind.
	for (const { id } of await example.workflow.list()) await api.deleteExecution(id);
});

interface Entered {
	fields?: Record<string, string>;
	/** Ticks *Try whether it is repeated*. */
	isRepeated?: boolean;
}

async function fillIn({ fields, isRepeated }: Entered = {}): Promise<void> {
	const texts = {
		Profile: PROFILE,
		'Webhook URL': webhookUrl,
		'Credits Now': String((await sandbox.state()).credits),
		...fields,
	};
	await page.goto(example.formUrl);
	for (const [label, text] of Object.entries(texts)) await page.getByLabel(label).fill(text);
	if (isRepeated) await page.getByLabel('Try whether it is repeated').check();
	await page.getByRole('button', { name: 'Continue' }).click();
}

/** Fills in the form and starts, up to the page with the links. Returns the address on it. */
async function create(entered?: Entered): Promise<{ address: string; urls: string[] }> {
	await fillIn(entered);
	await page.getByRole('button', { name: 'Start' }).click();
	await page.getByText('Finish both links').first().waitFor();
	const urls = await page.locator('.card a').allInnerTexts();
	return { address: await page.locator('.card b').first().innerText(), urls };
}

/** Does what a person does: sets the address, finishes both links and goes on. */
async function finishBoth({ address, urls }: { address: string; urls: string[] }): Promise<void> {
	await sandbox.setProfile(PROFILE, { webhookUrl: address });
	for (const url of urls) await sandbox.finish(url, 'accept');
}

/** Waits for the report. */
async function goOn(): Promise<{ report: PilotReport; text: string }> {
	const ended = await reportAfter(page, 'Continue', 'link');
	await untilGone(example.workflow);
	return ended;
}

async function runPilot(entered?: Entered): Promise<{ report: PilotReport; text: string }> {
	await finishBoth(await create(entered));
	await untilRepeated();
	return await goOn();
}

/** With these, each webhook is sent so often. */
const REPEATED: Partial<Record<MannerName, number>> = {
	webhookThreeTimes: 3,
	webhookTwiceAtOnce: 2,
};

/** Waits for repetitions, which can take a busy machine longer than the pilot waits for another. */
async function untilRepeated(): Promise<void> {
	const { manners } = await sandbox.state();
	const times = Math.max(0, ...manners.map((name) => REPEATED[name] ?? 0));
	if (times === 0) return;
	await until('the repeated webhooks', async () => {
		const { webhooks } = await sandbox.state();
		return webhooks.filter(({ attempts }) => attempts.length >= times).length === 2;
	});
}

it('finds all as documented, pays for two links, and passes both results on', async () => {
	await fillIn();
	await page.getByText('2 links will be created.').waitFor();
	expect(await sandbox.requests()).toEqual([]);
	await page.getByRole('button', { name: 'Start' }).click();
	const address = await page.locator('.card b').first().innerText();
	expect(address).toBe(`${example.workflow.url('A Delivery')}?secret=${SECRET}`);
	const urls = await page.locator('.card a').allInnerTexts();
	await finishBoth({ address, urls });
	const { report, text } = await goOn();

	expect(verdictsOf(report)).toEqual(LINKS_AS_DOCUMENTED);
	expect(report).toMatchObject({ stopped: null, paidRequests: { sent: 2, allowed: 2 } });
	expect(report.credits).toEqual({ before: 10_000, after: 9_996 });
	expect(report.lines.filter(({ change }) => change !== undefined)).toEqual([]);
	expect(text).toContain("holds: The trigger takes the service's own result. (trigger-takes-it)");
	expect(text.trimEnd()).toMatch(/Put the trigger's address back into the profile, and unpublish/);
	expect(await trigger.takeExecutions(2)).toHaveLength(2);
	expect(await table.rows()).toEqual([]);
	const requests = await sandbox.requests();
	expect(requests.map(({ path }) => path)).toEqual(['/hosted', '/hosted']);
});

/** What differs from the documented service: verdicts, and what the line has seen. */
type Differs = Record<string, [verdict: string, seen: unknown]>;
const NOT = "doesn't hold";
const UNREAD = { 'trigger-takes-it': [NOT, 'status 400'] } satisfies Differs;
const NOT_ACCEPTED = { 'webhook-once': ['not seen', null] } satisfies Differs;

const MANNERS: [MannerName, Differs][] = [
	[
		'webhookPut',
		{
			'webhook-method': [NOT, 'PUT'],
			'trigger-takes-it': [NOT, 'status 404'],
			...NOT_ACCEPTED,
		},
	],
	[
		'webhookForm',
		{
			'webhook-type': [NOT, 'application/x-www-form-urlencoded'],
			...UNREAD,
			...NOT_ACCEPTED,
			'link-known': ['not seen', null],
			'custom-data': ['not seen', null],
			'custom-data-length': ['not seen', null],
			'link-cost': ['not seen', null],
		},
	],
	[
		'webhookFormFields',
		{
			'webhook-type': [NOT, 'application/x-www-form-urlencoded'],
			...UNREAD,
			...NOT_ACCEPTED,
			'link-cost': ['not seen', null],
		},
	],
	['webhookWithoutType', { 'webhook-type': [NOT, 'none'] }],
	[
		'webhookLate',
		{ 'webhook-delay': [NOT, expect.stringMatching(/, \d+ s after both were finished$/)] },
	],
	['webhookThreeTimes', { 'webhook-once': [NOT, 'sent 3 times'] }],
	['webhookTwiceAtOnce', { 'webhook-once': [NOT, 'sent 2 times'] }],
	['customDataLowerCase', { 'custom-data': [NOT, 'lower case'] }],
	['customDataNormalized', { 'custom-data': [NOT, 'Unicode NFC'] }],
	['customDataEscaped', { 'custom-data': [NOT, 'escaped'] }],
	['customDataCutAt255', { 'custom-data-length': [NOT, 'cut after 255 characters'] }],
	['customDataCutAt128', { 'custom-data-length': [NOT, 'cut after 128 characters'] }],
	['customDataCutAt64', { 'custom-data-length': [NOT, 'cut after 64 characters'] }],
	// The node itself sends no blanks at the ends.
	['customDataTrimmed', {}],
	['creditsNotWhole', { 'link-cost': ['not conclusive', 'credits: 5 for 2 links'] }],
	['creditsTwice', { 'link-cost': [NOT, 'credits: 8 for 2 links'] }],
];

it.each(someOf(MANNERS, 3))(
	'changes its lines if the service has the manner %s',
	async (manner, differs) => {
		await sandbox.setManners(manner);
		const { report, text } = await runPilot();

		const verdicts = Object.entries(differs).map(([id, [verdict]]) => [id, verdict]);
		expect(verdictsOf(report)).toEqual({ ...LINKS_AS_DOCUMENTED, ...Object.fromEntries(verdicts) });
		for (const [id, [verdict, seen]] of Object.entries(differs)) {
			const line = report.lines.find((one) => one.id === id);
			expect([id, line?.seen]).toEqual([id, seen]);
			if (verdict === NOT) expect(text).toContain(`To change: ${line?.change}`);
		}
		expect(report.stopped).toBeNull();
		expect(await table.rows()).toEqual([]);
	},
);

const BOTH: [MannerName, MannerName, string[]][] = [
	['webhookPut', 'customDataCutAt64', ['webhook-method', 'trigger-takes-it', 'custom-data-length']],
	['webhookWithoutType', 'customDataEscaped', ['webhook-type', 'custom-data']],
	['webhookThreeTimes', 'creditsTwice', ['webhook-once', 'link-cost']],
	['customDataLowerCase', 'webhookTwiceAtOnce', ['custom-data', 'webhook-once']],
	[
		'webhookFormFields',
		'customDataCutAt128',
		['webhook-type', 'trigger-takes-it', 'custom-data-length'],
	],
];

it.each(someOf(BOTH, 1))(
	'changes the lines of both manners: %s and %s',
	async (one, other, lines) => {
		await sandbox.setManners(one, other);
		const { report } = await runPilot();

		const notHeld = report.lines.filter(({ verdict }) => verdict === NOT);
		expect(notHeld.map(({ id }) => id).sort()).toEqual(lines.sort());
	},
);

it('says that nothing arrives, after the time that Limits allows', async () => {
	await sandbox.setManners('webhookNever');
	const { report } = await runPilot();

	const notSeen = Object.keys(LINKS_AS_DOCUMENTED).map((id) => [id, 'not seen']);
	expect(verdictsOf(report)).toEqual({
		...Object.fromEntries(notSeen),
		'webhook-arrives': NOT,
	});
});

describe('Try whether it is repeated', () => {
	it('answers two webhooks of the first link with 500, and sees the third', async () => {
		await sandbox.setManners('webhookRepeated');
		const { report } = await runPilot({ isRepeated: true });

		expect(verdictsOf(report)).toEqual({ ...LINKS_AS_DOCUMENTED, 'webhook-repeat': 'seen once' });
		const { webhooks } = await sandbox.state();
		const statuses = webhooks.map(({ attempts }) => attempts.map(({ status }) => status));
		expect(statuses).toEqual([[500, 500, 200], [200]]);
		expect(await trigger.takeExecutions(2)).toHaveLength(2);
	});

	it('says that it is not sent again, and tries the trigger with the second link', async () => {
		const { report } = await runPilot({ isRepeated: true });

		const found = report.lines.filter(({ id }) =>
			['webhook-repeat', 'trigger-takes-it'].includes(id),
		);
		expect(found).toMatchObject([
			{ id: 'trigger-takes-it', verdict: 'seen once', seen: 'status 200' },
			{ id: 'webhook-repeat', verdict: 'not seen', seen: 'not sent again within 0.3 minutes' },
		]);
	});
});

it('says what the trigger answers if the profile has another secret', async () => {
	const { address, urls } = await create();
	await finishBoth({ address: address.replace(SECRET, 'another-secret-of-a-team'), urls });
	const { report } = await goOn();

	expect(report.lines[0]).toMatchObject({ verdict: NOT, seen: 'status 401' });
	expect((await sandbox.state()).webhooks[0]?.attempts[0]?.status).toBe(401);
});

it('keeps nothing of a webhook in its table, and nothing at all of those of others', async () => {
	const { address, urls } = await create();
	await finishBoth({ address, urls });
	await sandbox.verify({ profile: PROFILE, customData: 'applicant-of-another' }, 'aml');
	await until('both to be noted', async () => (await table.rows()).length === 4);

	const rows = JSON.stringify(await table.rows());
	for (const value of [SECRET, 'SPECIMEN', 'decision', 'applicant-of-another']) {
		expect(rows).not.toContain(value);
	}
	expect(await trigger.takeExecutions(3)).toHaveLength(3);
	await goOn();
});

it('says of an older run that its links were paid for, and forgets it', async () => {
	await create();
	const older = await example.workflow.list();
	await fillIn();
	await page.getByText('An earlier pilot was not finished: its links were paid for, too').waitFor();
	await page.getByRole('button', { name: 'Start' }).click();
	await page.getByText('Finish both links').first().waitFor();

	expect(await table.rows()).toHaveLength(2);
	for (const { id } of older) await api.deleteExecution(id);
	const { report } = await goOn();
	expect(report.lines.find(({ id }) => id === 'webhook-arrives')?.seen).toContain('0 of 2 links');
});

it('pays for nothing else if no link can be created, and reports it', async () => {
	await sandbox.fault({ on: 'hosted', kind: 'status', status: 400, times: 2 });
	await fillIn();
	const { report } = await reportAfter(page, 'Start', 'link');

	expect(report).toMatchObject({ stopped: 'No link was created.', paidRequests: { sent: 2 } });
	expect(report.lines.filter(({ verdict }) => verdict !== 'not seen')).toEqual([]);
	await untilGone(example.workflow);
});

it('refuses webhooks while no pilot runs, so that they can be sent again', async () => {
	const url = `${example.workflow.url('A Delivery')}?secret=${SECRET}`;
	for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
		expect((await fetchN8n(url, { method })).status).toBe(503);
	}
});

it.each([
	[
		{ 'Webhook URL': 'https://n8n.example.com/webhook/1' },
		'The Webhook URL has no ?secret= in it.',
	],
	[
		{ 'Webhook URL': 'https://n8n.example.com/webhook/pilot-deliveries?secret=1' },
		'The Webhook URL has to be that of your trigger, not of the pilot.',
	],
	[{ 'Credits Now': '0' }, 'Credits Now has to be a whole number above 1.'],
])('sends nothing if the form is wrong: %j', async (fields, problem) => {
	await fillIn({ fields });
	await page.getByText(problem).waitFor();
	await untilGone(example.workflow);

	expect(await sandbox.requests()).toEqual([]);
});
