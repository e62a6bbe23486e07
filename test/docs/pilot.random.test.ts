import { runInNewContext } from 'node:vm';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { seededRandom } from '../../dev/sandbox/model';
import { isRecord } from '../../nodes/IdentityVerification/contract/json';
import { HOSTILE_TEXT } from '../kit/data/hostileText';
import { pilotReport } from '../kit/data/pilotReport';
import { runs, someOf } from '../kit/runs';
import type { PilotReport } from '../kit/data/pilotReport';
import { evaluate } from './support/evaluate';
import { exampleWorkflows } from './support/exampleWorkflows';

// The comparison of the example Pilot and the order of its paid requests, with recorded answers. In
// n8n, it runs in test/e2e/examples/pilot.

const ALLOWED = 9;
const CREDITS = 1_000;
const AT = '2026-01-05T08:00:00.000Z';

const nodes = exampleWorkflows.find(({ file }) => file === 'pilot/workflow.json')?.nodes ?? [];

function parameter(node: string, name: string): string {
	return String(nodes.find((candidate) => candidate.name === node)?.parameters[name]);
}

const answerSchema = z.object({ id: z.string(), answer: z.string(), fall: z.number().nullable() });
const nextSchema = z.object({
	request: z
		.looseObject({ id: z.string(), file: z.string().optional(), type: z.string().optional() })
		.nullable(),
	stop: z.string(),
	sent: z.number(),
	left: z.number(),
	seen: z.array(answerSchema),
});
type Request = NonNullable<z.infer<typeof nextSchema>['request']>;

/** What a step of the workflow has returned, in each of its runs. */
type Runs = Record<string, IDataObject[]>;

/** Runs a Code node with what the steps before it have returned. Returns the JSON of its item. */
function runCode(name: string, runs: Runs, binary: object = {}): IDataObject {
	const $ = (node: string) => ({
		first: (...[, run = -1]: number[]) => ({ json: runs[node]?.at(run), binary }),
	});
	const context = { $, $runIndex: runs[name]?.length ?? 0, Buffer };
	const items = runInNewContext(`(() => {${parameter(name, 'jsCode')}\n})()`, context) as unknown;
	const [item] = JSON.parse(JSON.stringify(items)) as { json: IDataObject }[];
	return item?.json ?? {};
}

const FORM = {
	'Webhook URL': 'https://n8n.example.com/webhook/1/webhook?secret=a-secret-of-this-team',
	'Base URL': 'https://api.example.com/v1/',
	'File Hosts': 'files.example.com, *.eu.example.com',
};
const FILES = {
	Photo: { fileName: 'photo.jpg', fileSize: '1 MB' },
	Files_to_Try_0: { fileName: 'ALEX SPECIMEN.heic', fileSize: '2 MB' },
	Files_to_Try_1: { fileName: 'id.pdf', fileSize: '3 kB' },
};

const FREE = {
	'wrong-key': 401,
	'right-secret': 200,
	'wrong-secret': 401,
	'no-secret': 401,
	'secret-strength': 'strong',
};

/** The answer to a paid request, as *What Was Seen* returns it. */
interface Answer {
	answer: string;
	credit?: unknown;
	hosts?: string[];
	unreadable?: string[];
}

interface Service {
	free?: Partial<Record<keyof typeof FREE, number | string>>;
	answer: (request: Request) => Answer;
	allowed?: number;
	credits?: number;
	files?: object;
}

/** Runs the pilot. Returns its report, and the paid requests in their order. */
function pilot(service: Service) {
	const { free, answer, allowed = ALLOWED, credits = CREDITS, files = FILES } = service;
	const measured = Object.entries({ ...FREE, ...free }).map(([probe, value]) => {
		return { probe, value, seen: String(value), at: AT, count: 1 };
	});
	const expected = z
		.record(z.string(), z.unknown())
		.parse(JSON.parse(parameter('What Is Expected', 'jsonOutput')));
	const runs: Runs = {
		'Pilot Form': [{ ...FORM, 'Most Paid Requests': allowed, 'Credits Now': credits }],
		'Free Answers': [{ measured }],
		'What Is Expected': [expected as IDataObject],
		'Next Request': [],
		'What Was Seen': [],
	};
	const step = (name: string) => {
		const json = runCode(name, runs, files);
		(runs[name] ??= []).push(json);
		return json;
	};
	const plan = step('Plan');
	const requests: { request: Request; left: number; most: number }[] = [];
	for (;;) {
		const { request, left, seen } = nextSchema.parse(step('Next Request'));
		if (!request) break;
		const falls = seen.map(({ fall }) => fall ?? 0);
		requests.push({ request, left, most: falls[0] ?? 0 });
		const got = { credit: null, hosts: [], unreadable: [], seconds: 1, at: AT, ...answer(request) };
		runs['What Was Seen']?.push({ ...request, ...got } as IDataObject);
	}
	step('Measure');
	return { plan, requests, report: pilotReport.parse(step('Compare')) };
}

/** What makes a service differ from the documented one. */
interface Difference {
	free?: Service['free'];
	cost?: number;
	/** In place of the status with which an unknown profile is refused, and what it costs. */
	refusal?: { status?: number; cost?: number };
	heic?: { status: number; cost: number };
	isPdfRead?: boolean;
	hosts?: string[];
	unreadable?: string[];
}

function serviceWith(difference: Difference): Service {
	const { cost = 1, refusal, heic, isPdfRead, hosts = ['files.example.com'] } = difference;
	let credit = CREDITS;
	return {
		free: difference.free,
		answer: ({ file, type = '' }) => {
			const refused = (status: number, price: number): Answer => {
				credit -= price;
				return { answer: String(status) };
			};
			if (!file) return refused(refusal?.status ?? 404, refusal?.cost ?? 0);
			if (heic && type.startsWith('HEIC')) return refused(heic.status, heic.cost);
			if (!isPdfRead && type.startsWith('PDF')) return refused(400, 0);
			credit -= cost;
			return { answer: 'result', credit, hosts, unreadable: difference.unreadable ?? [] };
		},
	};
}

type Line = [id: string, verdict: string, seen: string | null];
const linesOf = ({ lines }: PilotReport): Line[] =>
	lines.map(({ id, verdict, seen }) => [id, verdict, seen]);

const DIFFERENCES: [string, Difference, Line][] = [
	['wrong key: 200', { free: { 'wrong-key': 200 } }, ['wrong-key', "doesn't hold", '200']],
	[
		'no answer',
		{ free: { 'right-secret': 'no answer' } },
		['right-secret', "doesn't hold", 'no answer'],
	],
	['Authentication None', { free: { 'no-secret': 200 } }, ['no-secret', "doesn't hold", '200']],
	[
		'weak secret',
		{ free: { 'secret-strength': 'weak' } },
		['secret-strength', "doesn't hold", 'weak'],
	],
	[
		'refused with 500',
		{ refusal: { status: 500 } },
		['refusal-status', "doesn't hold", 'status 500'],
	],
	['refusal costs 1', { refusal: { cost: 1 } }, ['refusal-cost', "doesn't hold", 'credits: 1']],
	[
		'HEIC refused',
		{ heic: { status: 415, cost: 0 } },
		['image-format', "doesn't hold", 'HEIC, 2 MB: status 415, credits: 0'],
	],
	[
		'PDF read',
		{ isPdfRead: true },
		['other-format', "doesn't hold", 'PDF, 3 kB: result, credits: 1'],
	],
	['other host', { hosts: ['cdn.example.org'] }, ['file-hosts', "doesn't hold", 'cdn.example.org']],
	[
		'one of a wildcard',
		{ hosts: ['a.eu.example.com'] },
		['file-hosts', 'holds', 'a.eu.example.com'],
	],
	[
		'partly readable',
		{ unreadable: ['warning'] },
		['scan-answer', "doesn't hold", 'warning, in at most 1 s'],
	],
];

/** What a scan costs is seen once less for each file that is refused. */
const withoutSamples = (lines: Line[]) => lines.filter(([id]) => id !== 'scan-cost');

const asDocumented = pilot(serviceWith({})).report;

function reportWith(...differences: [string, Difference, Line][]): Line[] {
	const changed = new Map(differences.map(([, , line]) => [line[0], line]));
	return linesOf(asDocumented).map((line) => changed.get(line[0]) ?? line);
}

describe('the report', () => {
	it('says of what is documented that it holds, or was seen once', () => {
		const once = ['refusal-cost'];
		for (const [id, verdict] of linesOf(asDocumented)) {
			expect([id, verdict]).toEqual([id, once.includes(id) ? 'seen once' : 'holds']);
		}
		expect(linesOf(asDocumented)).toHaveLength(12);
	});

	it.each(DIFFERENCES)('changes one line: %s', (...difference) => {
		const { report } = pilot(serviceWith(difference[1]));

		expect(withoutSamples(linesOf(report))).toEqual(withoutSamples(reportWith(difference)));
		expect(report.lines.find(({ id }) => id === 'scan-cost')?.verdict).toBe('holds');
		expect(report.stopped).toBeNull();
		for (const { verdict, change } of report.lines) {
			expect(change !== undefined && change !== '').toBe(verdict === "doesn't hold");
		}
	});

	const pairs = DIFFERENCES.flatMap((one, index) =>
		DIFFERENCES.slice(index + 1)
			.filter(([, , [id]]) => id !== one[2][0])
			.map((other) => [one, other] as const),
	);

	it('changes two lines if two things differ, in any pair', () => {
		expect(pairs.length).toBeGreaterThan(40);
		for (const [one, other] of someOf(pairs, 30)) {
			const { report } = pilot(
				serviceWith({ ...one[1], ...other[1], ...bothOf(one[1], other[1]) }),
			);
			expect([one[0], other[0], ...withoutSamples(linesOf(report))]).toEqual([
				one[0],
				other[0],
				...withoutSamples(reportWith(one, other)),
			]);
		}
	});

	it('tells what a refused file costs, too', () => {
		const { report } = pilot({
			...serviceWith({ heic: { status: 415, cost: 1 } }),
			files: { Photo: FILES.Photo, Files_to_Try_0: FILES.Files_to_Try_0 },
		});
		expect(linesOf(report)).toContainEqual([
			'image-format',
			"doesn't hold",
			'HEIC, 2 MB: status 415, credits: 1',
		]);
	});

	it('does not guess which of two refused files was charged', () => {
		const { report } = pilot(serviceWith({ heic: { status: 415, cost: 1 } }));
		expect(linesOf(report)).toContainEqual([
			'image-format',
			"doesn't hold",
			'HEIC, 2 MB: status 415, credits: unknown',
		]);
		expect(linesOf(report)).toContainEqual([
			'other-format',
			'holds',
			'PDF, 3 kB: status 400, credits: unknown',
		]);
	});

	it('proves no cost by credits that are no whole numbers', () => {
		const { report } = pilot(serviceWith({ cost: 1.25 }));
		for (const id of ['scan-cost', 'refusal-cost']) {
			expect(report.lines.find((line) => line.id === id)?.verdict).toBe('not conclusive');
		}
	});

	it('names none of the files', () => {
		expect(JSON.stringify(asDocumented)).not.toMatch(/ALEX|SPECIMEN|id\.pdf|a-secret-of/);
	});
});

/** Settings of the same name in both. */
function bothOf(one: Difference, other: Difference): Difference {
	return {
		free: { ...one.free, ...other.free },
		refusal: { ...one.refusal, ...other.refusal },
	};
}

describe('the paid requests', () => {
	it('are as many as announced, with and without files', () => {
		for (const files of [FILES, { Photo: FILES.Photo }]) {
			const { plan, requests, report } = pilot({ ...serviceWith({}), files });
			expect(requests).toHaveLength(Number(plan.needed));
			expect(report.paidRequests).toEqual({ sent: plan.needed, allowed: ALLOWED });
		}
	});

	it('never exceed what is allowed, and end with the first thing that cannot be explained, in any order of faults', () => {
		const endings = new Set<string | null>();
		for (let seed = 1; seed <= runs(60, 1_000); seed++) {
			const random = seededRandom(seed);
			const allowed = 1 + Math.floor(random() * ALLOWED);
			const cost = 1 + Math.floor(random() * 3);
			const credits = random() < 0.2 ? 3 * cost : CREDITS;
			let credit = credits;
			let [paid, afterStrange] = [0, 0];
			let [isStrange, isFirstDear] = [false, false];
			const { requests, report } = pilot({
				allowed,
				credits,
				answer: ({ file, isPhoto }) => {
					if (!isPhoto && file && random() < 0.2) return { answer: 'not sent' };
					paid += 1;
					if (isStrange) afterStrange += 1;
					if (!file && random() < 0.9) return { answer: random() < 0.5 ? '404' : '500' };
					if (!isPhoto && random() < 0.3) return { answer: '415' };
					if (random() < 0.08) {
						isStrange = true;
						return { answer: random() < 0.5 ? 'not understood' : 'result' };
					}
					credit -= cost;
					if (random() < 0.08) {
						const more = random() < 0.5 ? 60 : -50;
						// The first request can cost anything, and explains all that costs no more.
						isFirstDear ||= paid === 1 && more < 0;
						isStrange = more > 0 || !isFirstDear;
						credit += more;
					}
					return { answer: 'result', credit };
				},
			});
			endings.add(report.stopped);
			expect(paid).toBeLessThanOrEqual(allowed);
			expect(afterStrange).toBe(0);
			expect(report.paidRequests).toEqual({ sent: paid, allowed });
			for (const { left, most } of requests) expect(left).toBeGreaterThanOrEqual(most);
			if (isStrange) expect(report.stopped).not.toBeNull();
		}
		expect(endings.size).toBeGreaterThan(5);
	});
});

describe('What Was Seen', () => {
	const request = { id: 'scan 1', file: 'Photo', isPhoto: true, sentAt: Date.now() };

	async function seenIn(json: IDataObject): Promise<IDataObject> {
		const text = parameter('What Was Seen', 'jsonOutput');
		const value = await evaluate(text, { json: { ...json, request } }, ['Next Request']);
		if (!isRecord(value)) throw new Error('It returned no object.');
		return value as IDataObject;
	}

	it.each([
		['The service answered with status 404 (charge: none)', '404'],
		['The service answered with status 500 and may have charged (charge: possible)', '500'],
		['The document image is a PDF file, not an image (charge: none)', 'not sent'],
		[
			"'Max Paid Requests' is used up: it allows 9 in an execution. Nothing was charged (charge: none)",
			'not allowed',
		],
		['No answer from the service: timeout (charge: possible)', 'not understood'],
		['The file The service answered with status 404 (charge: none)', 'not understood'],
		[
			'The service answered, but not with a readable scan result (charge: possible)',
			'not understood',
		],
		[HOSTILE_TEXT, 'not understood'],
	])('%j: %s', async (error, answer) => {
		expect(await seenIn({ error })).toMatchObject({ answer, credit: null, hosts: [] });
	});

	it('keeps nothing of a person', async () => {
		const files = [
			{ name: HOSTILE_TEXT, fileUrl: 'https://Files.example.com:8443/ALEX.pdf?name=ALEX' },
			{ image: 'front', fileUrl: `https://${HOSTILE_TEXT}` },
			{ image: 'face', value: 'ALEX' },
		];
		const json = {
			decision: 'reject',
			fields: { fullName: 'ALEX' },
			files,
			details: { credit: 9 },
		};
		const seen = await seenIn({ ...json, transactionId: 'ALEX', unreadable: ['data'] });

		expect(seen).toMatchObject({
			answer: 'result',
			credit: 9,
			hosts: ['files.example.com:8443'],
			unreadable: ['data'],
		});
		expect(JSON.stringify(seen)).not.toContain('ALEX');
	});
});

describe('Free Answers', () => {
	const values = async (json: IDataObject) => {
		const before = ['Wrong Key', 'Right Secret', 'Wrong Secret', 'No Secret', 'Plan'];
		const value = await evaluate(parameter('Free Answers', 'jsonOutput'), { json }, before);
		const { measured } = z
			.object({ measured: z.array(z.object({ probe: z.string(), value: z.unknown() })) })
			.parse(value);
		return Object.fromEntries(measured.map(({ probe, value: found }) => [probe, found]));
	};

	it('knows the answer of the trigger from that of another server', async () => {
		const json = { statusCode: 200, secret: 'a-secret-of-this-team' };
		const received = await values({ ...json, data: '{"received":true}' });
		expect(received).toMatchObject({ 'right-secret': 200, 'secret-strength': 'strong' });
		expect(await values({ ...json, data: '<html>' })).toMatchObject({
			'right-secret': 'status 200, but not from the trigger',
		});
	});

	it('says so if there is no answer, or the secret is weak', async () => {
		expect(await values({ error: 'ECONNREFUSED', secret: 'short' })).toEqual({
			'wrong-key': 'no answer',
			'right-secret': 'no answer',
			'wrong-secret': 'no answer',
			'no-secret': 'no answer',
			'secret-strength': 'weak',
		});
	});
});
