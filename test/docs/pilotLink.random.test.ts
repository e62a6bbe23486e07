import { runInNewContext } from 'node:vm';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { Manners } from '../../dev/sandbox/manners';
import type { MannerName } from '../../dev/sandbox/manners';
import { HOSTILE_TEXT } from '../kit/data/hostileText';
import { LINKS_AS_DOCUMENTED, pilotReport, verdictsOf } from '../kit/data/pilotReport';
import { someOf } from '../kit/runs';
import { evaluate } from './support/evaluate';
import { exampleWorkflows } from './support/exampleWorkflows';

// What Pilot says of how the result of a link arrives, with the manners of the sandbox and without
// n8n. In n8n, it runs in test/e2e/examples/pilotLink.

const START = Date.parse('2026-01-05T08:00:00.000Z');
const CREATED_MS = 1_000;
const FINISHED_MS = 120_000;
const CREDITS = 1_000;
const TRIGGER = 'https://n8n.example.com/webhook/1/webhook';

const nodes = exampleWorkflows.find(({ file }) => file === 'pilot/link.json')?.nodes ?? [];

function parameters(node: string): IDataObject {
	return (nodes.find(({ name }) => name === node)?.parameters ?? {}) as IDataObject;
}

const column = (node: string, name: string) =>
	z.object({ value: z.record(z.string(), z.string()) }).parse(parameters(node).columns).value[
		name
	] ?? '';

interface Item {
	json: IDataObject;
	binary?: object;
}

/** What a node has returned, by output. */
type Outputs = Record<string, Item[][]>;

/** Runs a Code node at a time, after these nodes. Returns its items. */
function runCode(name: string, at: number, outputs: Outputs, input: Item[] = []): Item[] {
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
	const context = {
		$,
		$input: { all: () => input },
		$execution: { resumeUrl: 'https://n8n.example.com/webhook-waiting/7?signature=1' },
		Buffer,
		Date: Clock,
	};
	const code = String(parameters(name).jsCode);
	const items = runInNewContext(`(() => {${code}\n})()`, context) as unknown;
	return JSON.parse(JSON.stringify(items)) as Item[];
}

const planSchema = z.object({
	problems: z.string(),
	address: z.string(),
	trigger: z.string(),
	links: z.array(z.object({ link: z.number(), customData: z.string() })),
});

const FORM = {
	'Webhook URL': `${TRIGGER}?secret=a-secret-of-this-team`,
	'Credits Now': CREDITS,
	Repeats: [] as string[],
};

/** What the form leads to. */
function plan(form: object = FORM, input: Item[] = []) {
	const items = runCode('Plan', START, { 'Pilot Link Form': [[{ json: { ...form } }]] }, input);
	return { items, ...planSchema.parse(items[0]?.json) };
}

const METHODS = z.array(z.string()).parse(parameters('A Delivery').httpMethod);

interface Sent {
	at: number;
	method?: string;
	type?: string;
	body: string;
	headers?: object;
}

/** What *What Arrived* makes of a request. */
function arrived({ at, method = 'POST', type, body, headers }: Sent, rows: Item[]): IDataObject {
	const isForm = type === 'application/x-www-form-urlencoded';
	const json = {
		headers: { host: 'n8n.example.com', ...(type && { 'content-type': type }), ...headers },
		query: { secret: 'a-secret-of-this-team' },
		body: isForm ? Object.fromEntries(new URLSearchParams(body)) : {},
	};
	const binary = { data: { data: Buffer.from(body).toString('base64') } };
	const outputs = METHODS.map((one) => (one === method ? [{ json, binary }] : []));
	return runCode('What Arrived', at, { 'A Delivery': outputs }, rows)[0]?.json ?? {};
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
	isRepeated?: boolean;
	/** Whether somebody has selected *Continue*. */
	isFinished?: boolean;
}

/** Runs the pilot against a service with these manners. Returns its report. */
function pilot(
	names: MannerName[],
	{ isRepeated = false, isFinished = true, errors = [], change = (all) => all }: Run = {},
) {
	const manners = new Manners(names);
	const Repeats = isRepeated ? ['Try whether it is repeated'] : [];
	const { items, links } = plan({ ...FORM, Repeats });
	const cost = manners.at('charge', { credits: 2 }).credits;
	const rows: Item[] = links.map(({ link, customData }) => ({
		json: {
			kind: 'link',
			run: '7',
			link,
			customData,
			reference: `reference-${link}`,
			trigger: TRIGGER,
			repeat: isRepeated && link === 1,
			answered: 'created',
			at: new Date(START + CREATED_MS).toISOString(),
		},
	}));
	const { method, contentType, encode } = manners.at('delivery', {
		method: 'POST',
		contentType: 'application/json',
		encode: (json) => json,
	});
	const { delayMs, times, atOnce, repeats } = manners.at('schedule', {
		delayMs: 0,
		times: 1,
		atOnce: 1,
		repeats: 0,
	});
	for (const { link, customData } of links) {
		const hosted = `reference-${link}`;
		const data = { customData: manners.at('customData', customData), fullName: 'ALEX' };
		const event = 'hosted_conclusive';
		const body = encode(JSON.stringify({ event, hosted, ...data, credit: CREDITS - 2 * cost }));
		let isAccepted = false;
		const deliver = (at: number, before: Item[]) => {
			const row = arrived({ at, method, type: contentType, body }, before);
			const answered = row.isRefusedFirst ? 'error on purpose' : answerOf(method, body);
			isAccepted ||= answered === 'status 200';
			rows.push({ json: { kind: 'delivery', ...row, answered } });
		};
		const at = START + FINISHED_MS - 10_000 + delayMs;
		for (let time = 0; time < times; time++) {
			const before = [...rows];
			for (let one = 0; one < atOnce; one++) deliver(at + time * 100, before);
		}
		for (let repeat = 1; repeat <= (times && Math.min(repeats, 20)) && !isAccepted; repeat++) {
			deliver(at + repeat * 60_000, [...rows]);
		}
	}
	const outputs: Outputs = {
		'Pilot Link Form': [[{ json: { Versions: 'n8n 2.41.1' } }]],
		Plan: [items],
		Limits: [[{ json: JSON.parse(String(parameters('Limits').jsonOutput)) as IDataObject }]],
		'What Is Expected': [
			[{ json: JSON.parse(String(parameters('What Is Expected').jsonOutput)) as IDataObject }],
		],
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
		const seen = runCode('What Has Arrived', now, outputs, change(rows.filter(isHere)));
		outputs['What Has Arrived'] = [seen];
		isDone = seen[0]?.json.isDone === true;
	}
	for (const step of ['What Became of Custom Data', 'Measure', 'Compare']) {
		outputs[step] = [runCode(step, now, outputs)];
	}
	const json = outputs.Compare?.[0]?.[0]?.json ?? {};
	return {
		report: pilotReport.parse(json),
		text: JSON.stringify(json),
		rows,
		seconds: (now - START) / 1_000,
	};
}

type Verdicts = Record<string, string>;
const NOT = "doesn't hold";

const UNREAD = Object.fromEntries(
	['link-known', 'custom-data', 'custom-data-length', 'link-cost', 'webhook-once'].map((id) => [
		id,
		'not seen',
	]),
);
const NOTHING = Object.fromEntries(Object.keys(LINKS_AS_DOCUMENTED).map((id) => [id, 'not seen']));

/** What differs from a documented service, and what its line has seen. */
const DIFFERENCES: [MannerName, Verdicts, seen: string | null][] = [
	[
		'webhookPut',
		{ 'webhook-method': NOT, 'trigger-takes-it': NOT, 'webhook-once': 'not seen' },
		'PUT',
	],
	[
		'webhookForm',
		{ 'webhook-type': NOT, 'trigger-takes-it': NOT, ...UNREAD },
		'application/x-www-form-urlencoded',
	],
	[
		'webhookFormFields',
		{
			'webhook-type': NOT,
			'trigger-takes-it': NOT,
			'webhook-once': 'not seen',
			'link-cost': 'not seen',
		},
		'application/x-www-form-urlencoded',
	],
	['webhookWithoutType', { 'webhook-type': NOT }, 'none'],
	[
		'webhookLate',
		{ 'webhook-delay': NOT },
		'at most 709 s after a link was created, 590 s after both were finished',
	],
	['webhookThreeTimes', { 'webhook-once': NOT }, 'sent 3 times'],
	['webhookTwiceAtOnce', { 'webhook-once': NOT }, 'sent 2 times'],
	['webhookNever', { ...NOTHING, 'webhook-arrives': NOT }, '0 of 2 links, within 30 minutes'],
	['customDataLowerCase', { 'custom-data': NOT }, 'lower case'],
	['customDataNormalized', { 'custom-data': NOT }, 'Unicode NFC'],
	['customDataEscaped', { 'custom-data': NOT }, 'escaped'],
	['customDataCutAt255', { 'custom-data-length': NOT }, 'cut after 255 characters'],
	['customDataCutAt128', { 'custom-data-length': NOT }, 'cut after 128 characters'],
	['customDataCutAt64', { 'custom-data-length': NOT }, 'cut after 64 characters'],
	// The node itself sends no blanks at the ends.
	['customDataTrimmed', {}, null],
	// The service is asked for it by the tick box only.
	['webhookRepeated', {}, null],
	['creditsTwice', { 'link-cost': NOT }, 'credits: 8 for 2 links'],
	['creditsNotWhole', { 'link-cost': 'not conclusive' }, 'credits: 5 for 2 links'],
];

/** What contradicts each other, or adds up to something whole. */
const CONTRARY: MannerName[][] = [
	['webhookForm', 'webhookFormFields', 'webhookWithoutType'],
	['creditsTwice', 'creditsNotWhole'],
];

const pairs = DIFFERENCES.flatMap((one, index) =>
	DIFFERENCES.slice(index + 1)
		.filter(([name]) => !CONTRARY.some((set) => set.includes(name) && set.includes(one[0])))
		.map((other) => [one, other] as const),
);

/** What can't be seen hides what would not hold. */
function both(one: Verdicts, other: Verdicts): Verdicts {
	const ids = Object.keys({ ...one, ...other });
	return Object.fromEntries(
		ids.map((id) => {
			const found = [one[id], other[id]].filter((verdict) => verdict !== undefined);
			return [id, found.find((verdict) => verdict === 'not seen') ?? found[0] ?? ''];
		}),
	);
}

describe('the report', () => {
	it('says of what is documented that it holds, or was seen once', () => {
		const { report, text } = pilot([]);
		expect(verdictsOf(report)).toEqual(LINKS_AS_DOCUMENTED);
		expect(report.stopped).toBeNull();
		expect(text).not.toMatch(/ALEX|a-secret-of|n8n\.example|reference-1/);
	});

	it.each(DIFFERENCES)('changes its lines: %s', (name, verdicts, seen) => {
		const { report } = pilot([name]);

		expect(verdictsOf(report)).toEqual({ ...LINKS_AS_DOCUMENTED, ...verdicts });
		if (seen !== null) expect(report.lines.map((line) => line.seen)).toContain(seen);
		for (const { verdict, change } of report.lines) {
			expect(change !== undefined && change !== '').toBe(verdict === NOT);
		}
	});

	it('changes the lines of both if two things differ, in any pair', () => {
		expect(pairs.length).toBeGreaterThan(100);
		for (const [one, other] of someOf(pairs, 30)) {
			const { report } = pilot([one[0], other[0]]);
			const expected = { ...LINKS_AS_DOCUMENTED, ...both(one[1], other[1]) };
			expect([one[0], other[0], verdictsOf(report)]).toEqual([one[0], other[0], expected]);
		}
	});

	it('names all that has become of Custom Data', () => {
		const { report } = pilot(['customDataLowerCase', 'customDataNormalized', 'customDataEscaped']);
		expect(report.lines.find(({ id }) => id === 'custom-data')?.seen).toBe(
			'lower case, Unicode NFC, escaped',
		);
	});

	it.each<[MannerName[], string, string]>([
		[[], 'not seen', 'not sent again within 30 minutes'],
		[['webhookRepeated'], 'seen once', 'sent 3 times'],
		[['webhookThreeTimes'], 'not conclusive', 'sent 3 times'],
		[['webhookTwiceAtOnce'], 'not conclusive', 'sent 2 times'],
		[['webhookNever'], 'not seen', ''],
	])('says whether a webhook is repeated after an error: %j', (manners, verdict, seen) => {
		const { report } = pilot(manners, { isRepeated: true });
		const line = report.lines.find(({ id }) => id === 'webhook-repeat');
		expect([line?.verdict, line?.seen ?? '']).toEqual([verdict, seen]);
	});

	it('waits a minute for more, and half an hour for what is missing', () => {
		expect(pilot([]).seconds).toBeLessThan(FINISHED_MS / 1_000 + 90);
		const { seconds } = pilot(['webhookNever']);
		expect(seconds).toBeGreaterThanOrEqual(FINISHED_MS / 1_000 + 1_800);
		expect(seconds).toBeLessThan(FINISHED_MS / 1_000 + 1_830);
	});

	const changed = (link: number, changes: IDataObject) => (all: Item[]) =>
		all.map(({ json }) => ({
			json: json.link === link && json.kind === 'link' ? { ...json, ...changes } : json,
		}));
	const without = (link: number, kind: string) => (all: Item[]) =>
		all.filter(({ json }) => json.link !== link || json.kind !== kind);

	it('says nothing of what it has not seen when another pilot has deleted its rows', () => {
		const { report } = pilot([], { change: () => [] });
		expect(verdictsOf(report)).toEqual(NOTHING);
		expect(report).toMatchObject({
			stopped: 'Another pilot was started meanwhile.',
			paidRequests: { sent: 2 },
		});
	});

	it('does not conclude what a link costs if another one may have been charged', () => {
		const change = changed(2, { answered: 'not understood' });
		const { report } = pilot([], {
			change,
			errors: ['', 'The connection broke (charge: possible)'],
		});
		expect(verdictsOf(report)['link-cost']).toBe('not conclusive');
		expect(report.paidRequests.sent).toBe(2);
	});

	it('does not call what was never sent paid', () => {
		const errors = ['', "'Profile' is empty. Nothing was charged (charge: none) [item 1]"];
		expect(pilot([], { errors }).report.paidRequests.sent).toBe(1);
	});

	it.each([
		['status 400', NOT],
		['status 422', NOT],
		['status 401', 'not seen'],
		['status 503', 'not seen'],
	])('says of one link that was refused with %s: %s', (answered, verdict) => {
		const refused = changed(2, { answered });
		const { report } = pilot([], { change: (all) => refused(without(2, 'delivery')(all)) });
		expect(verdictsOf(report)['custom-data-length']).toBe(verdict);
		expect(verdictsOf(report)['custom-data']).toBe('holds');
	});

	it('counts links, and not how often a webhook is sent', () => {
		const { report } = pilot(['webhookThreeTimes'], { change: without(2, 'delivery') });
		for (const id of ['webhook-method', 'webhook-type', 'trigger-takes-it']) {
			expect(verdictsOf(report)[id]).toBe('seen once');
		}
	});

	it('does not say that webhooks do not arrive if nobody says that the links are finished', () => {
		const { report } = pilot(['webhookNever'], { isFinished: false });
		expect(verdictsOf(report)).toEqual(NOTHING);
		expect(report.stopped).toBe('Nobody said that both links were finished.');
	});
});

describe('Plan', () => {
	it('sends Custom Data of which each part can be seen to break', () => {
		const { links, address, trigger } = plan();
		const [short = '', long = ''] = links.map(({ customData }) => customData);
		expect(short.length).toBeLessThan(45);
		expect(short).toMatch(/^1-[a-z0-9]{8} Ab {2}&<>"'\+%20 é e\u0301 😀$/);
		expect(long).toHaveLength(300);
		expect(long).toMatch(/^[a-z\d-]+$/);
		expect(address).toBe(
			'https://n8n.example.com/webhook/pilot-deliveries?secret=a-secret-of-this-team',
		);
		expect(trigger).toBe(TRIGGER);
		expect(plan().links[0]?.customData).not.toBe(short);
	});

	it.each([
		['ftp://x', 'The Webhook URL is not an address.'],
		[TRIGGER, 'The Webhook URL has no ?secret= in it.'],
		['https://n8n.example.com/webhook/pilot-deliveries?secret=1', 'not of the pilot'],
		['https://n8n.example.com/webhook/pilot-deliveries/?secret=1', 'not of the pilot'],
	])('%s: %s', (url, problem) => {
		expect(plan({ ...FORM, 'Webhook URL': url }).problems).toContain(problem);
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
	const row = (body: object, more = {}) =>
		arrived(
			{ at: START, type: 'application/json; charset=utf-8', body: JSON.stringify(body), ...more },
			links,
		);

	it('says of which link a webhook is, by its reference or by how Custom Data begins', () => {
		expect(row({ hosted: 'reference-1', customData: 'other' })).toMatchObject({
			link: 1,
			named: 'reference',
		});
		expect(row({ customData: '1-abcdefgh re' })).toMatchObject({ link: 1, named: 'customData' });
		expect(row({ deep: { id: 'reference-1' } })).toMatchObject({ link: 1, named: '' });
		expect(row({ customData: '1-abcdefg' })).toMatchObject({ link: null });
	});

	it('passes on what it does not know, and gives the table nothing of a person', () => {
		const body = {
			hosted: 'reference-1',
			customData: '1-abcdefgh rest',
			data: { fullName: [{ value: 'ALEX' }] },
			decision: 'reject',
			credit: 7,
		};
		const { url, sentType, ...rest } = row(body, {
			headers: { 'x-hub-signature-256': 'sha256=ALEX' },
		});
		expect(url).toBe(`${TRIGGER}?secret=a-secret-of-this-team`);
		expect(sentType).toBe('application/json; charset=utf-8');
		expect(rest).toMatchObject({
			type: 'application/json',
			headers: 'content-type, host, x-hub-signature-256',
			credit: 7,
		});
		expect(JSON.stringify(rest)).not.toMatch(/ALEX|reject|a-secret/);
	});

	it('knows of no pilot without rows', () => {
		expect(arrived({ at: START, body: HOSTILE_TEXT }, [{ json: {} }])).toMatchObject({
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
		expect(await ofDelivery({ isRefusedFirst: true })).toBe('error on purpose');
	});

	it('is why a link was not created', async () => {
		expect(await ofLink({ url: 'https://example.com' })).toBe('created');
		expect(await ofLink({ error: 'The service answered with status 400: no (charge: none)' })).toBe(
			'status 400',
		);
		expect(await ofLink({ error: HOSTILE_TEXT })).toBe('not understood');
	});
});
