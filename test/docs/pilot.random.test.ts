import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { seededRandom } from '../../dev/sandbox/model';
import { isRecord } from '../../nodes/IdentityVerification/contract/json';
import { HOSTILE_TEXT } from '../kit/data/hostileText';
import { pilotReport } from '../kit/data/pilotReport';
import { runs } from '../kit/runs';
import type { PilotReport } from '../kit/data/pilotReport';
import { evaluate } from './support/evaluate';
import { PilotNodes, lineOf } from './support/pilot';
import type { Item } from './support/pilot';

// The comparison of the example Pilot and the order of its paid requests, with recorded answers. In
// n8n, it runs in test/e2e/examples/pilot.

const ALLOWED = 9;
const CREDITS = 1_000;
const AT = '2026-01-05T08:00:00.000Z';

const nodes = new PilotNodes('workflow.json');

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

const FORM = {
	'Webhook URL': 'https://n8n.example.com/webhook/1/webhook?secret=a-secret-of-this-team',
	'Base URL': 'https://api.example.com/v1/',
	'File Hosts': 'files.example.com, *.eu.example.com',
};
interface File {
	fileName: string;
	fileSize: string;
	content: string;
}
type Files = Record<string, File>;

const HEIC = { fileName: 'ALEX SPECIMEN.heic', fileSize: '2 MB', content: '\0\0\0\x18ftypheic' };
const PDF = { fileName: 'id.pdf', fileSize: '3 kB', content: '%PDF-1.7' };
const PHOTO = { fileName: 'photo.jpg', fileSize: '1 MB', content: '\xff\xd8\xff' };
const FILES: Files = { Photo: PHOTO, Files_to_Try_0: HEIC, Files_to_Try_1: PDF };

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
	files?: Files;
}

/** What the form leads to. */
async function plan(form: IDataObject, files: Files = FILES): Promise<Item[]> {
	const $ = () => ({ first: () => ({ json: form, binary: files }) });
	const helpers = {
		getBinaryDataBuffer: (_: number, name: string) =>
			Promise.resolve(Buffer.from(files[name]?.content ?? '', 'latin1')),
	};
	return await nodes.run('Plan', { $, helpers });
}

/** Runs the pilot. Returns its report, and the paid requests in their order. */
async function pilot(service: Service) {
	const { free, answer, allowed = ALLOWED, credits = CREDITS, files = FILES } = service;
	const measured = Object.entries({ ...FREE, ...free }).map(([id, value]) => {
		return { json: { id, value, seen: String(value), at: AT, count: 1 } };
	});
	const form = { ...FORM, 'Most Paid Requests': allowed, 'Credits Now': credits };
	const planned = await plan(form, files);
	/** What a node has returned, in each of its runs. */
	const returned: Record<string, Item[][]> = {
		'Pilot Form': [[{ json: form, binary: files }]],
		Plan: [planned],
		'Free Answers': [measured],
		'Next Request': [],
		'What Was Seen': [],
	};
	const $ = (node: string) => ({
		first: (...[, run = -1]: number[]) => returned[node]?.at(run)?.[0],
		all: () => returned[node]?.at(-1),
	});
	const step = async (name: string, input: Item[] = []) => {
		const $runIndex = returned[name]?.length ?? 0;
		const items = await nodes.run(name, { $, $runIndex, $input: { all: () => input } });
		(returned[name] ??= []).push(items);
		return items;
	};
	const requests: { request: Request; left: number; most: number }[] = [];
	for (;;) {
		const [next] = await step('Next Request');
		const { request, left, seen } = nextSchema.parse(next?.json);
		if (!request) break;
		const falls = seen.map(({ fall }) => fall ?? 0);
		requests.push({ request, left, most: falls[0] ?? 0 });
		const got = { credit: null, hosts: [], unreadable: [], seconds: 1, at: AT, ...answer(request) };
		returned['What Was Seen']?.push([{ json: { ...request, ...got } as IDataObject }]);
	}
	const lines = nodes.compare(await step('What Is Expected'), await step('Measure'));
	const [report] = await step('Report', lines);
	return { plan: planned[0]?.json ?? {}, requests, report: pilotReport.parse(report?.json) };
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

const NOT = "doesn't hold";

/** What differs from a documented service, the line that it changes, and what the report begins with. */
const DIFFERENCES: [string, Difference, Line, verdict: string][] = [
	[
		'wrong key: 200',
		{ free: { 'wrong-key': 200 } },
		['wrong-key', NOT, '200'],
		'Ask the service about wrong keys.',
	],
	[
		'no answer',
		{ free: { 'right-secret': 'no answer' } },
		['right-secret', NOT, 'no answer'],
		'Change 1 setting: Webhook URL of the profile.',
	],
	[
		'Authentication None',
		{ free: { 'no-secret': 200 } },
		['no-secret', NOT, '200'],
		'Change 1 setting: Authentication of the trigger.',
	],
	[
		'weak secret',
		{ free: { 'secret-strength': 'weak' } },
		['secret-strength', NOT, 'weak'],
		'Change 1 setting: Webhook Secret of the credential.',
	],
	[
		'refused with 500',
		{ refusal: { status: 500 } },
		['refusal-status', NOT, 'refused with status 500'],
		'Ask the service about charges for failed requests.',
	],
	[
		'refusal costs 1',
		{ refusal: { cost: 1 } },
		['refusal-cost', NOT, 'credits used: 1'],
		'Change 1 setting: Retry On Fail of Scan Document and Create Hosted Link.',
	],
	[
		'HEIC refused',
		{ heic: { status: 415, cost: 0 } },
		['image-format', NOT, 'HEIC (file size 2 MB): refused with status 415, credits used: 0'],
		'Change 1 setting: File types that your forms and folders accept.',
	],
	[
		'PDF read',
		{ isPdfRead: true },
		['other-format', NOT, 'PDF (file size 3 kB): read, credits used: 1'],
		'Change 1 setting: Send Other File Types of Scan Document.',
	],
	[
		'other host',
		{ hosts: ['cdn.example.org'] },
		['file-hosts', NOT, 'cdn.example.org'],
		'Change 1 setting: File Hosts of the credential.',
	],
	[
		'one of a wildcard',
		{ hosts: ['a.eu.example.com'] },
		['file-hosts', 'holds', 'a.eu.example.com'],
		'Go live.',
	],
	[
		'partly readable',
		{ unreadable: ['warning'] },
		['scan-answer', NOT, 'could not be read: warning; answered in at most 1 s'],
		'Change 1 setting: Output of Scan Document.',
	],
];

/** What a scan costs is seen once less for each file that is refused. */
const withoutSamples = (lines: Line[]) => lines.filter(([id]) => id !== 'scan-cost');

describe('the report', () => {
	it('says of what is documented that it holds, or was seen once, and to go live', async () => {
		const { report } = await pilot(serviceWith({}));
		for (const [id, verdict] of linesOf(report)) {
			expect([id, verdict]).toEqual([id, id === 'refusal-cost' ? 'seen once' : 'holds']);
		}
		expect(report.lines).toHaveLength(12);
		expect(report.verdict).toBe('Go live.');
		expect(JSON.stringify(report)).not.toMatch(/ALEX|SPECIMEN|id\.pdf|a-secret-of/);
	});

	it.each(DIFFERENCES)(
		'changes one line, and begins with what to do: %s',
		async (_, difference, line, verdict) => {
			const usual = (await pilot(serviceWith({}))).report;
			const { report } = await pilot(serviceWith(difference));

			const expected = linesOf(usual).map((one) => (one[0] === line[0] ? line : one));
			expect(withoutSamples(linesOf(report))).toEqual(withoutSamples(expected));
			expect(lineOf(report, 'scan-cost').verdict).toBe('holds');
			expect(report).toMatchObject({ stopped: null, verdict });
			for (const one of report.lines) expect('todo' in one).toBe(one.verdict === NOT);
			expect(JSON.stringify(report)).not.toContain('{value}');
		},
	);

	it('counts each setting once, and then says what to ask', async () => {
		const free = { 'wrong-key': 200, 'wrong-secret': 200, 'no-secret': 200 };
		const { report } = await pilot(serviceWith({ free, hosts: ['cdn.example.org'] }));
		expect(report.verdict).toBe(
			'Change 2 settings: Authentication of the trigger; File Hosts of the credential. ' +
				'Ask the service about wrong keys.',
		);
		expect(lineOf(report, 'file-hosts').todo).toBe(
			'File Hosts of the credential: add cdn.example.org.',
		);
	});

	it('says what to do where the credits prove nothing, because they are no whole numbers', async () => {
		const { report } = await pilot(serviceWith({ cost: 1.25 }));
		for (const id of ['scan-cost', 'refusal-cost']) {
			expect(lineOf(report, id)).toMatchObject({
				verdict: 'not conclusive',
				todo: expect.stringMatching(/^Look up in the portal what .* has cost\./),
			});
		}
		expect(report.verdict).toBe(
			'Ask the service about the cost of a scan; the cost of a refused request.',
		);
	});

	it('begins with why it stopped', async () => {
		const { report } = await pilot({ answer: () => ({ answer: 'not understood' }) });
		expect(report.verdict).toBe(
			'Not yet, because it stopped early. There was no answer, or one that cannot be understood.',
		);
	});

	it.each([
		['IMG_1.HEIC', PHOTO.content, 'image-format', 'HEIC by its name, JPEG by its content'],
		['scan.jpg', PDF.content, 'other-format', 'JPG by its name, PDF by its content'],
		['scan.jpg', 'MZ', 'other-format', 'JPG by its name, unknown by its content'],
		['scan', PHOTO.content, 'image-format', 'no type by its name, JPEG by its content'],
		['photo.jpeg', PHOTO.content, 'image-format', 'JPEG'],
		['photo.tif', 'II*\0', 'image-format', 'TIF'],
		['photo.heif', HEIC.content, 'image-format', 'HEIF'],
	])('takes a file for what its content says: %s, %j', async (fileName, content, id, type) => {
		const file = { fileName, fileSize: '2 MB', content };
		const files = { Photo: PHOTO, Files_to_Try_0: file };
		const { report } = await pilot({ ...serviceWith({}), files });
		expect(lineOf(report, id).seen).toBe(`${type} (file size 2 MB): read, credits used: 1`);
	});

	it.each([
		[PHOTO, HEIC, PDF],
		[PDF, HEIC, PHOTO],
	])(
		'reports the same in whichever order files arrive, and a charge where it belongs',
		async (...files) => {
			const arrived = Object.fromEntries(
				files.map((file, index) => [`Files_to_Try_${index}`, file]),
			);
			const service = serviceWith({ heic: { status: 415, cost: 1 } });
			const { report } = await pilot({ ...service, files: { Photo: PHOTO, ...arrived } });

			expect(linesOf(report).filter(([id]) => id.endsWith('-format'))).toEqual([
				['image-format', NOT, 'HEIC (file size 2 MB): refused with status 415, credits used: 1'],
				['image-format', 'holds', 'JPG (file size 1 MB): read, credits used: unknown'],
				['other-format', 'holds', 'PDF (file size 3 kB): refused with status 400, credits used: 0'],
			]);
		},
	);

	it('tells what a refused file costs, too', async () => {
		const { report } = await pilot({
			...serviceWith({ heic: { status: 415, cost: 1 } }),
			files: { Photo: PHOTO, Files_to_Try_0: HEIC },
		});
		expect(lineOf(report, 'image-format')).toMatchObject({
			verdict: NOT,
			seen: 'HEIC (file size 2 MB): refused with status 415, credits used: 1',
		});
	});

	it('does not guess which of two refused files was charged', async () => {
		const { report } = await pilot(serviceWith({ heic: { status: 415, cost: 1 } }));
		expect(linesOf(report)).toContainEqual([
			'image-format',
			NOT,
			'HEIC (file size 2 MB): refused with status 415, credits used: unknown',
		]);
		expect(linesOf(report)).toContainEqual([
			'other-format',
			'holds',
			'PDF (file size 3 kB): refused with status 400, credits used: unknown',
		]);
	});
});

describe('Plan', () => {
	it.each([
		[{ 'Webhook URL': 'ftp://x?secret=1' }, 'The Webhook URL is not an address.'],
		[{ 'Webhook URL': 'https://n8n.example.com/webhook/1' }, 'The Webhook URL has no ?secret='],
		[{ 'Base URL': 'https://api.example.com?x=1' }, 'The Base URL is not an address'],
		[{ 'Most Paid Requests': '6' }, 'This pilot can need 7 paid requests, and you allow 6.'],
		[{ 'Credits Now': '0' }, 'Credits Now has to be a whole number above 0.'],
		[{}, ''],
	])('says what is wrong with the form: %j', async (fields, problem) => {
		const [item] = await plan({ ...FORM, 'Credits Now': CREDITS, ...fields });
		expect(item?.json.problems).toEqual(problem && expect.stringContaining(problem));
	});
});

describe('the paid requests', () => {
	it('are as many as announced, with and without files', async () => {
		for (const files of [FILES, { Photo: PHOTO }]) {
			const { plan: planned, requests, report } = await pilot({ ...serviceWith({}), files });
			expect(requests).toHaveLength(Number(planned.needed));
			expect(report.requests).toEqual({ sent: planned.needed, allowed: ALLOWED });
		}
	});

	it('never exceed what is allowed, and end with the first thing that cannot be explained, in any order of faults', async () => {
		const endings = new Set<string | null>();
		for (let seed = 1; seed <= runs(60, 1_000); seed++) {
			const random = seededRandom(seed);
			const allowed = 1 + Math.floor(random() * ALLOWED);
			const cost = 1 + Math.floor(random() * 3);
			const credits = random() < 0.2 ? 3 * cost : CREDITS;
			let credit = credits;
			let [paid, afterStrange] = [0, 0];
			let [isStrange, isFirstDear] = [false, false];
			const { requests, report } = await pilot({
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
			expect(report.requests).toEqual({ sent: paid, allowed });
			for (const { left, most } of requests) expect(left).toBeGreaterThanOrEqual(most);
			if (isStrange) expect(report.stopped).not.toBeNull();
		}
		expect(endings.size).toBeGreaterThan(5);
	});
});

describe('What Was Seen', () => {
	const request = { id: 'scan 1', file: 'Photo', isPhoto: true, sentAt: Date.now() };

	async function seenIn(json: IDataObject): Promise<IDataObject> {
		const text = String(nodes.parameters('What Was Seen').jsonOutput);
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
	async function values(answer: IDataObject, secret = 'a-secret-of-this-team') {
		const ids = ['right-secret', 'wrong-secret', 'no-secret'];
		const returned: Record<string, Item[]> = {
			'Wrong Key': [{ json: answer }],
			Plan: [{ json: { secret } }],
			'Three Secrets': ids.map((id) => ({ json: { id } })),
			'Webhook URL': ids.map(() => ({ json: answer })),
		};
		const $ = (node: string) => ({ first: () => returned[node]?.[0], all: () => returned[node] });
		const measured = await nodes.run('Free Answers', { $ });
		return Object.fromEntries(measured.map(({ json }) => [json.id, json.value]));
	}

	it('knows the answer of the trigger from that of another server', async () => {
		expect(await values({ statusCode: 200, data: '{"received":true}' })).toMatchObject({
			'right-secret': 200,
			'no-secret': 200,
			'secret-strength': 'strong',
		});
		expect(await values({ statusCode: 200, data: '<html>' })).toMatchObject({
			'right-secret': 'status 200, but not from the trigger',
		});
	});

	it('says so if there is no answer, or the secret is weak', async () => {
		expect(await values({ error: 'ECONNREFUSED' }, 'short')).toEqual({
			'wrong-key': 'no answer',
			'right-secret': 'no answer',
			'wrong-secret': 'no answer',
			'no-secret': 'no answer',
			'secret-strength': 'weak',
		});
	});

	it('come from an address with the right secret, a wrong one and none', async () => {
		const $ = () => ({ first: () => ({ json: { url: `${FORM['Webhook URL']}&x=1` } }) });
		const urls = (await nodes.run('Three Secrets', { $ })).map(({ json }) => json.url);
		expect(urls).toEqual([
			'https://n8n.example.com/webhook/1/webhook?secret=a-secret-of-this-team&x=1',
			'https://n8n.example.com/webhook/1/webhook?secret=a-wrong-secret-of-the-pilot&x=1',
			'https://n8n.example.com/webhook/1/webhook?&x=1',
		]);
	});
});
