import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { Manners } from '../../dev/sandbox/manners';
import type { MannerName } from '../../dev/sandbox/manners';
import { HOSTILE_TEXT } from '../kit/data/hostileText';
import { LINKS_AS_DOCUMENTED, pilotReport, verdictsOf } from '../kit/data/pilotReport';
import { evaluate } from './support/evaluate';
import { PilotNodes, lineOf } from './support/pilot';
import type { Item } from './support/pilot';

// What Pilot says of how the result of a link arrives, with the manners of the sandbox and without
// n8n. In n8n, it runs in test/e2e/examples/pilotLink.

const START = Date.parse('2026-01-05T08:00:00.000Z');
const CREATED_MS = 1_000;
const FINISHED_MS = 120_000;
const TRIGGER = 'https://n8n.example.com/webhook/1/webhook';

const nodes = new PilotNodes('link.json');

const column = (node: string, name: string) =>
	z.object({ value: z.record(z.string(), z.string()) }).parse(nodes.parameters(node).columns).value[
		name
	] ?? '';

/** What a node has returned, by output. */
type Outputs = Record<string, Item[][]>;

/** Runs a Code node at a time, after these nodes. Returns its items. */
async function runCode(
	name: string,
	at: number,
	outputs: Outputs,
	input: Item[] = [],
): Promise<Item[]> {
	class Clock extends Date {
		constructor(given: string | number = at) {
			super(given);
		}
		static override now = () => at;
	}
	const $ = (node: string) => ({
		isExecuted: outputs[node] !== undefined,
		first: () => outputs[node]?.[0]?.[0],
		all: (output = 0) => outputs[node]?.[output] ?? [],
	});
	return await nodes.run(name, {
		$,
		$input: { all: () => input },
		$execution: { resumeUrl: 'https://n8n.example.com/webhook-waiting/7?signature=1' },
		Date: Clock,
	});
}

const planSchema = z.object({
	problems: z.string(),
	deliveriesUrl: z.string(),
	trigger: z.string(),
	links: z.array(z.object({ link: z.number(), customData: z.string() })),
});

const FORM = { 'Webhook URL': `${TRIGGER}?secret=a-secret-of-this-team` };

/** What the form leads to. */
async function plan(form: object = FORM) {
	const items = await runCode('Plan', START, { 'Pilot Link Form': [[{ json: { ...form } }]] });
	return { items, ...planSchema.parse(items[0]?.json) };
}

const METHODS = z.array(z.string()).parse(nodes.parameters('A Delivery').httpMethod);

interface Sent {
	at: number;
	method?: string;
	type?: string;
	body: string;
	headers?: object;
}

/** What *What Arrived* makes of a request. */
async function arrived(
	{ at, method = 'POST', type, body, headers }: Sent,
	rows: Item[],
): Promise<IDataObject> {
	const isForm = type === 'application/x-www-form-urlencoded';
	const json = {
		headers: { host: 'n8n.example.com', ...(type && { 'content-type': type }), ...headers },
		query: { secret: 'a-secret-of-this-team' },
		body: isForm ? Object.fromEntries(new URLSearchParams(body)) : {},
	};
	const binary = { data: { data: Buffer.from(body).toString('base64') } };
	const outputs = METHODS.map((one) => (one === method ? [{ json, binary }] : []));
	const [item] = await runCode('What Arrived', at, { 'A Delivery': outputs }, rows);
	return item?.json ?? {};
}

/** Answers as the package's trigger does. */
function answerOf(method: string, body: string): string {
	if (method !== 'POST') return 'status 404';
	return body.startsWith('{') ? 'status 200' : 'status 400';
}

interface Run {
	/** Changes the rows of the table before the report is made. */
	change?: (rows: Item[]) => Item[];
	/** What became of each link, as the node says; without an error, it was created. */
	errors?: string[];
	/** Whether somebody has selected *Continue*. */
	isFinished?: boolean;
}

/** Runs the pilot against a service with these manners. Returns its report. */
async function pilot(
	names: MannerName[],
	{ isFinished = true, errors = [], change = (all) => all }: Run = {},
) {
	const manners = new Manners(names);
	const { items, links } = await plan();
	const rows: Item[] = links.map(({ link, customData }) => ({
		json: {
			kind: 'link',
			run: '7',
			link,
			customData,
			reference: `reference-${link}`,
			trigger: TRIGGER,
			answered: 'created',
			at: new Date(START + CREATED_MS).toISOString(),
		},
	}));
	const { method, contentType, encode } = manners.at('delivery', {
		method: 'POST',
		contentType: 'application/json',
		encode: (json) => json,
	});
	const { delayMs, times, atOnce } = manners.at('schedule', {
		delayMs: 0,
		times: 1,
		atOnce: 1,
		repeats: 0,
	});
	for (const { link, customData } of links) {
		const hosted = `reference-${link}`;
		const data = { customData: manners.at('customData', customData), fullName: 'ALEX' };
		const body = encode(JSON.stringify({ event: 'hosted_conclusive', hosted, ...data }));
		for (let time = 0; time < times * atOnce; time++) {
			const at = START + FINISHED_MS - 10_000 + delayMs + time * 100;
			const row = await arrived({ at, method, type: contentType, body }, rows);
			rows.push({ json: { kind: 'delivery', ...row, answered: answerOf(method, body) } });
		}
	}
	const outputs: Outputs = {
		'Pilot Link Form': [[{ json: { Versions: 'n8n 2.41.1' } }]],
		Plan: [items],
		'Create Two Links': [
			links.map((_, index) => ({ json: errors[index] ? { error: errors[index] } : {} })),
		],
		'Finish Both Links': [
			[{ json: isFinished ? { submittedAt: new Date(START + FINISHED_MS).toISOString() } : {} }],
		],
	};
	let now = START + FINISHED_MS;
	for (let isDone = false; !isDone; now += 10_000) {
		const isHere = ({ json }: Item) => Date.parse(String(json.at)) <= now;
		const seen = await runCode('What Has Arrived', now, outputs, change(rows.filter(isHere)));
		outputs['What Has Arrived'] = [seen];
		isDone = seen[0]?.json.isDone === true;
	}
	for (const step of ['What Became of Custom Data', 'Measure']) {
		outputs[step] = [await runCode(step, now, outputs)];
	}
	const expected = await runCode('What Is Expected', now, outputs);
	const lines = nodes.compare(expected, outputs.Measure?.[0] ?? []);
	const [report] = await runCode('Report', now, outputs, lines);
	return {
		report: pilotReport.parse(report?.json),
		text: JSON.stringify(report?.json),
		seconds: (now - START) / 1_000,
	};
}

const NOT = "doesn't hold";
const URL_OF_PROFILE = 'Webhook URL of the profile';
const CHANGE_CUSTOM_DATA = 'Change 1 setting: Custom Data.';

const NOTHING = Object.fromEntries(Object.keys(LINKS_AS_DOCUMENTED).map((id) => [id, 'not seen']));
const NOT_ACCEPTED = { 'trigger-takes-it': NOT, 'webhook-once': 'not seen' };
const UNREAD = Object.fromEntries(
	['link-known', 'custom-data', 'custom-data-length'].map((id) => [id, 'not seen']),
);

/** What differs from a documented service, what its line has seen, and what the report begins with. */
const DIFFERENCES: [MannerName, Record<string, string>, seen: string | null, verdict: string][] = [
	[
		'webhookPut',
		{ ...NOT_ACCEPTED, 'webhook-method': NOT },
		'PUT',
		`Change 1 setting: ${URL_OF_PROFILE}. Ask the service about the method of its webhooks.`,
	],
	[
		'webhookForm',
		{ ...NOT_ACCEPTED, ...UNREAD, 'webhook-type': NOT },
		'application/x-www-form-urlencoded',
		`Change 1 setting: ${URL_OF_PROFILE}. Ask the service about the content type of its webhooks.`,
	],
	[
		'webhookFormFields',
		{ ...NOT_ACCEPTED, 'webhook-type': NOT },
		'application/x-www-form-urlencoded',
		`Change 1 setting: ${URL_OF_PROFILE}. Ask the service about the content type of its webhooks.`,
	],
	[
		'webhookWithoutType',
		{ 'webhook-type': NOT },
		'none',
		'Ask the service about the content type of its webhooks.',
	],
	[
		'webhookLate',
		{ 'webhook-delay': NOT },
		'at most 709 s after a link was created, 590 s after both were finished',
		'Change 1 setting: Wait Limit of Wait for Result.',
	],
	[
		'webhookThreeTimes',
		{ 'webhook-once': NOT },
		'sent 3 times',
		'Change 1 setting: Steps after the trigger.',
	],
	[
		'webhookTwiceAtOnce',
		{ 'webhook-once': NOT },
		'sent 2 times',
		'Change 1 setting: Steps after the trigger.',
	],
	[
		'webhookNever',
		{ ...NOTHING, 'webhook-arrives': NOT },
		'0 of 2 links, within 30 minutes',
		`Change 1 setting: ${URL_OF_PROFILE}.`,
	],
	['customDataLowerCase', { 'custom-data': NOT }, 'lower case', CHANGE_CUSTOM_DATA],
	['customDataNormalized', { 'custom-data': NOT }, 'Unicode NFC', CHANGE_CUSTOM_DATA],
	['customDataEscaped', { 'custom-data': NOT }, 'escaped', CHANGE_CUSTOM_DATA],
	[
		'customDataCutAt255',
		{ 'custom-data-length': NOT },
		'cut after 255 characters',
		CHANGE_CUSTOM_DATA,
	],
	[
		'customDataCutAt128',
		{ 'custom-data-length': NOT },
		'cut after 128 characters',
		CHANGE_CUSTOM_DATA,
	],
	[
		'customDataCutAt64',
		{ 'custom-data-length': NOT },
		'cut after 64 characters',
		CHANGE_CUSTOM_DATA,
	],
	// The node itself sends no blanks at the ends.
	['customDataTrimmed', {}, null, 'Go live.'],
];

describe('the report', () => {
	it('says of what is documented that it holds, or was seen once, and to go live', async () => {
		const { report, text } = await pilot([]);
		expect(verdictsOf(report)).toEqual(LINKS_AS_DOCUMENTED);
		expect(report).toMatchObject({ stopped: null, verdict: 'Go live.' });
		expect(report.toFindOut).toMatch(
			/^Find out by hand how long a link lives, and what arrives when/,
		);
		expect(text).not.toMatch(/ALEX|a-secret-of|n8n\.example|reference-1/);
	});

	it.each(DIFFERENCES)(
		'changes its lines, and begins with what to do: %s',
		async (name, verdicts, seen, verdict) => {
			const { report } = await pilot([name]);

			expect(verdictsOf(report)).toEqual({ ...LINKS_AS_DOCUMENTED, ...verdicts });
			if (seen !== null) expect(report.lines.map((line) => line.seen)).toContain(seen);
			for (const line of report.lines) expect('todo' in line).toBe(line.verdict === NOT);
			expect(report.verdict).toBe(verdict);
		},
	);

	it('counts a setting once that several lines name', async () => {
		const { report } = await pilot(['customDataLowerCase', 'customDataCutAt64']);
		expect(report.verdict).toBe(CHANGE_CUSTOM_DATA);
		expect(lineOf(report, 'custom-data-length').todo).toContain('it was cut after 64 characters');
	});

	it('waits a minute for more, and half an hour for what is missing', async () => {
		expect((await pilot([])).seconds).toBeLessThan(FINISHED_MS / 1_000 + 90);
		const { seconds } = await pilot(['webhookNever']);
		expect(seconds).toBeGreaterThanOrEqual(FINISHED_MS / 1_000 + 1_800);
		expect(seconds).toBeLessThan(FINISHED_MS / 1_000 + 1_830);
	});

	const changed = (link: number, changes: IDataObject) => (all: Item[]) =>
		all.map(({ json }) => ({
			json: json.link === link && json.kind === 'link' ? { ...json, ...changes } : json,
		}));
	const without = (link: number, kind: string) => (all: Item[]) =>
		all.filter(({ json }) => json.link !== link || json.kind !== kind);

	it('says nothing of what it has not seen when another pilot has deleted its rows', async () => {
		const { report } = await pilot([], { change: () => [] });
		expect(verdictsOf(report)).toEqual(NOTHING);
		expect(report).toMatchObject({
			stopped: 'Another pilot was started meanwhile.',
			verdict: 'Not yet, because it stopped early. Another pilot was started meanwhile.',
			requests: { sent: 2 },
		});
	});

	it('does not call what was never sent paid', async () => {
		const errors = ['', "'Profile' is empty. Nothing was charged (charge: none) [item 1]"];
		expect((await pilot([], { errors })).report.requests.sent).toBe(1);
	});

	it.each([
		['status 400', NOT],
		['status 422', NOT],
		['status 401', 'not seen'],
		['status 503', 'not seen'],
	])('says of one link that was refused with %s: %s', async (answered, verdict) => {
		const refused = changed(2, { answered });
		const { report } = await pilot([], { change: (all) => refused(without(2, 'delivery')(all)) });
		expect(verdictsOf(report)['custom-data-length']).toBe(verdict);
		expect(verdictsOf(report)['custom-data']).toBe('holds');
	});

	it('counts links, and not how often a webhook is sent', async () => {
		const { report } = await pilot(['webhookThreeTimes'], { change: without(2, 'delivery') });
		for (const id of ['webhook-method', 'webhook-type', 'trigger-takes-it']) {
			expect(verdictsOf(report)[id]).toBe('seen once');
		}
	});

	it('does not say that webhooks do not arrive if nobody says that the links are finished', async () => {
		const { report } = await pilot(['webhookNever'], { isFinished: false });
		expect(verdictsOf(report)).toEqual(NOTHING);
		expect(report.stopped).toBe('Nobody said that both links were finished.');
	});
});

describe('Plan', () => {
	it('sends Custom Data of which each part can be seen to break', async () => {
		const { links, deliveriesUrl, trigger } = await plan();
		const [short = '', long = ''] = links.map(({ customData }) => customData);
		expect(short.length).toBeLessThan(45);
		expect(short).toMatch(/^1-[a-z0-9]{8} Ab {2}&<>"'\+%20 é e\u0301 😀$/);
		expect(long).toHaveLength(300);
		expect(long).toMatch(/^[a-z\d-]+$/);
		expect(deliveriesUrl).toBe(
			'https://n8n.example.com/webhook/pilot-deliveries?secret=a-secret-of-this-team',
		);
		expect(trigger).toBe(TRIGGER);
		expect((await plan()).links[0]?.customData).not.toBe(short);
	});

	it.each([
		['ftp://x', 'The Webhook URL is not an address.'],
		[`${TRIGGER}?secret="><b>`, 'The Webhook URL is not an address.'],
		[TRIGGER, 'The Webhook URL has no ?secret= in it.'],
		['https://n8n.example.com/webhook/pilot-deliveries?secret=1', 'not of the pilot'],
		['https://n8n.example.com/webhook/pilot-deliveries/?secret=1', 'not of the pilot'],
	])('%s: %s', async (url, problem) => {
		expect((await plan({ ...FORM, 'Webhook URL': url })).problems).toContain(problem);
	});
});

describe('What Arrived', () => {
	const links = [
		{
			json: {
				kind: 'link',
				link: 1,
				reference: 'reference-1',
				customData: '1-abcdefgh rest',
				trigger: TRIGGER,
				run: '7',
			},
		},
	];
	const row = async (body: object, more = {}) =>
		await arrived(
			{ at: START, type: 'application/json; charset=utf-8', body: JSON.stringify(body), ...more },
			links,
		);

	it('says of which link a webhook is, by its reference or by how Custom Data begins', async () => {
		expect(await row({ hosted: 'reference-1', customData: 'other' })).toMatchObject({
			link: 1,
			named: 'reference',
		});
		expect(await row({ customData: '1-abcdefgh re' })).toMatchObject({
			link: 1,
			named: 'customData',
		});
		expect(await row({ deep: { id: 'reference-1' } })).toMatchObject({ link: 1, named: '' });
		expect(await row({ customData: '1-abcdefg' })).toMatchObject({ link: null });
	});

	it('passes on what it does not know, and gives the table nothing of a person', async () => {
		const body = {
			hosted: 'reference-1',
			customData: '1-abcdefgh rest',
			data: { fullName: [{ value: 'ALEX' }] },
			decision: 'reject',
		};
		const { url, sentType, ...rest } = await row(body, {
			headers: { 'x-hub-signature-256': 'sha256=ALEX' },
		});
		expect(url).toBe(`${TRIGGER}?secret=a-secret-of-this-team`);
		expect(sentType).toBe('application/json; charset=utf-8');
		expect(rest).toMatchObject({
			type: 'application/json',
			headers: 'content-type, host, x-hub-signature-256',
		});
		expect(JSON.stringify(rest)).not.toMatch(/ALEX|reject|a-secret/);
	});

	it('knows of no pilot without rows', async () => {
		expect(await arrived({ at: START, body: HOSTILE_TEXT }, [{ json: {} }])).toMatchObject({
			url: null,
			link: null,
		});
	});
});

describe('what the table says of an answer', () => {
	const ofDelivery = async (json: IDataObject) =>
		await evaluate(column('Note the Delivery', 'answered'), { json }, [
			'What Arrived',
			'Pass It On',
		]);
	const ofLink = async (json: IDataObject) =>
		await evaluate(column('Note the Links', 'answered'), { json });

	it('is the status of the trigger, and whether it was the trigger', async () => {
		const received = { statusCode: 200, data: '{"received":true}' };
		expect(await ofDelivery({ ...received, isResult: true })).toBe('status 200');
		expect(await ofDelivery({ ...received, isResult: false })).toContain('ignores this event');
		expect(await ofDelivery({ statusCode: 200, data: '<html>' })).toContain('not from the trigger');
		expect(await ofDelivery({ statusCode: 401, data: '{}' })).toBe('status 401');
		expect(await ofDelivery({ error: HOSTILE_TEXT })).toBe('no answer');
	});

	it('is why a link was not created', async () => {
		expect(await ofLink({ url: 'https://example.com' })).toBe('created');
		expect(await ofLink({ error: 'The service answered with status 400: no (charge: none)' })).toBe(
			'status 400',
		);
		expect(await ofLink({ error: HOSTILE_TEXT })).toBe('not understood');
	});
});
