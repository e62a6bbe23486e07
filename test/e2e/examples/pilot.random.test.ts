import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

import type { MannerName } from '../../../dev/sandbox/manners';
import { FORM_LOGIN } from '../../../dev/stack/backend';
import { SPECIMEN } from '../../../dev/stack/paths';
import { listen } from '../../kit/service/httpServer';
import { sha256 } from '../../kit/service/sandbox';
import type { PilotReport } from '../../kit/data/pilotReport';
import { useBrowser } from '../../kit/n8n/browser';
import { someOf } from '../../kit/runs';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { triggerNode, workflowOf } from '../../kit/n8n/workflow';
import { reportAfter, untilGone } from './support/pilotReport';
import { usePublished } from './support/useExample';

const PROFILE = 'sandbox-accept';
const SECRET = 'secret-of-the-examples';

const example = usePublished('pilot');
const { api, sandbox, sandboxInN8n } = example;
const browser = useBrowser();

let webhookUrl = '';
let page: Page;

beforeAll(async () => {
	const trigger = triggerNode('Result', { credentialId: sandboxInN8n.credentialId });
	const workflow = await LiveWorkflow.start(api, workflowOf([trigger], []));
	webhookUrl = `${workflow.url('Result')}?secret=${SECRET}`;
});

beforeEach(async () => {
	const { user: username, password } = FORM_LOGIN;
	page = await (await browser.newContext({ httpCredentials: { username, password } })).newPage();
});
afterEach(async () => await page.context().close());

interface File {
	name: string;
	mimeType: string;
	buffer: Buffer;
}

/** What a person enters in the form, other than usual. */
interface Entered {
	fields?: Record<string, string>;
	files?: File[];
	/** What others do after the start. */
	meanwhile?: () => Promise<void>;
}

async function fillIn({ fields, files = [] }: Entered = {}): Promise<void> {
	const texts = {
		Profile: PROFILE,
		'Webhook URL': webhookUrl,
		'Base URL': sandbox.url,
		'File Hosts': new URL(sandbox.filesUrl).host,
		'Credits Now': String((await sandbox.state()).credits),
		...fields,
	};
	await page.goto(example.formUrl);
	for (const [label, text] of Object.entries(texts)) await page.getByLabel(label).fill(text);
	await page.getByLabel('Photo').setInputFiles(SPECIMEN);
	if (files.length > 0) await page.getByLabel('Files to Try').setInputFiles(files);
	await page.getByRole('button', { name: 'Continue' }).click();
}

/** Runs the pilot to its end. Returns its report, and what its last page shows. */
async function runPilot(entered?: Entered): Promise<{ report: PilotReport; text: string }> {
	await fillIn(entered);
	const [ended] = await Promise.all([finish(), entered?.meanwhile?.()]);
	return ended;
}

/** Starts what the second page announces. */
async function finish(): Promise<{ report: PilotReport; text: string }> {
	const ended = await reportAfter(page, 'Start', 'requests');
	await untilGone(example.workflow);
	return ended;
}

/** What a report says, by line; times differ. */
const linesOf = ({ lines }: PilotReport) =>
	lines.map(({ id, verdict, seen }) => [id, verdict, seen?.replace(/, in at most [\d.]+ s$/, '')]);

/** A file that begins like one of this kind. */
const fileOf = (name: string, start: Buffer): File => ({
	name,
	mimeType: 'application/octet-stream',
	buffer: Buffer.concat([start, Buffer.alloc(2_000, name)]),
});
const HEIC = fileOf('Alex Specimen.heic', Buffer.from('\0\0\0\x18ftypheic'));
const PDF = fileOf('passport.pdf', Buffer.from('%PDF-1.7\n'));
const FILES = [HEIC, PDF];

/** What the report says of a service that is as documented, with these files. */
const AS_DOCUMENTED = [
	['wrong-key', 'holds', 'status 401'],
	['right-secret', 'holds', 'status 200'],
	['wrong-secret', 'holds', 'status 401'],
	['no-secret', 'holds', 'status 401'],
	['secret-strength', 'holds', 'strong'],
	['scan-answer', 'holds', 'read completely'],
	['scan-cost', 'holds', 'credits: 1, 1, 1'],
	['refusal-status', 'holds', 'status 404'],
	['refusal-cost', 'seen once', 'credits: 0'],
	['image-format', 'holds', expect.stringMatching(/^HEIC, [\d.]+ kB: result, credits: 1$/)],
	['other-format', 'holds', expect.stringMatching(/^PDF, [\d.]+ kB: status 400, credits: 0$/)],
	['file-hosts', 'holds', expect.stringMatching(/^127\.0\.0\.1:\d+$/)],
];

it('finds all as documented, with as many paid requests as it has announced', async () => {
	await fillIn({ files: FILES });
	const plan = page.getByText('7 paid requests of the 9 that you allow');
	await plan.waitFor();
	expect(await sandbox.requests()).toEqual([]);
	const { report, text } = await finish();

	expect(linesOf(report)).toEqual(AS_DOCUMENTED);
	expect((await sandbox.requests()).filter(({ method }) => method === 'POST')).toHaveLength(7);
	const paidRequests = { sent: 7, allowed: 9 };
	const credits = { before: 10_000, after: 9_995 };
	expect(report).toMatchObject({ stopped: null, paidRequests, credits });
	expect(text).toContain(
		'Paid requests: 7 of the 9 that you allow. Credits: 10000 before, 9995 after.',
	);
	expect(text).toContain('holds: The service reads the images that the node sends. (image-format)');
	expect(text).not.toContain('To change:');
	expect(text.trimEnd()).toMatch(/Unpublish this workflow\.$/);
});

/** Arms what is to happen in a run. Returns what else is entered in the form. */
type Difference = () => Promise<Entered | undefined> | Entered | undefined;

/** A service that answers a wrong key in this way; scans still go to the sandbox. */
async function keyServer(status: number, headers = {}): Promise<Entered> {
	const { url } = await listen((_request, response) => response.writeHead(status, headers).end());
	return { fields: { 'Base URL': url } };
}

async function refuseFile({ buffer }: File, status: number): Promise<undefined> {
	const matchDocumentSha256 = sha256(buffer);
	await sandbox.fault({ on: 'scan', kind: 'status', status, matchDocumentSha256 });
	return undefined;
}

/** Lets somebody else pay for a scan while the pilot's request waits that comes after so many. */
async function somebodyElse(skip: number): Promise<Entered> {
	await sandbox.fault({ on: 'scan', kind: 'held', skip });
	const meanwhile = async () => {
		// The wrong key is a request, too.
		await sandbox.untilArrived(skip + 2);
		const image = (await readFile(SPECIMEN)).toString('base64');
		await sandbox.call('/scan', { profile: PROFILE, document: image });
		await sandbox.release();
	};
	return { meanwhile };
}

type Line = [id: string, verdict: string, seen: unknown];

const DIFFERENCES: [string, Difference, Line, change: string | undefined][] = [
	[
		'a wrong key is answered with 200',
		async () => await keyServer(200),
		['wrong-key', "doesn't hold", 'status 200'],
		'Nothing in n8n can notice a wrong key',
	],
	[
		'a wrong key is answered with 403',
		async () => await keyServer(403),
		['wrong-key', 'holds', 'status 403'],
		undefined,
	],
	[
		'a wrong key is redirected',
		async () => await keyServer(302, { location: '/portal' }),
		['wrong-key', "doesn't hold", 'status 302'],
		'Nothing in n8n can notice a wrong key',
	],
	[
		'the address has another secret',
		() => ({ fields: { 'Webhook URL': webhookUrl.replace(SECRET, 'another-secret-of-a-team') } }),
		['right-secret', "doesn't hold", 'status 401'],
		'the Production URL of the published trigger',
	],
	[
		'HEIC is refused',
		async () => await refuseFile(HEIC, 415),
		['image-format', "doesn't hold", expect.stringMatching(/^HEIC.+: status 415, credits: 0$/)],
		'File types that your forms and folders accept: without this one.',
	],
	[
		'an unknown profile is answered with 500',
		async () => void (await sandbox.fault({ on: 'scan', kind: 'serverError', skip: 2 })),
		['refusal-status', "doesn't hold", 'status 500'],
		'look the request up in the portal before you retry it',
	],
	[
		'files are on another host',
		() => ({ fields: { 'File Hosts': 'files.example.com' } }),
		['file-hosts', "doesn't hold", expect.stringMatching(/^127\.0\.0\.1:\d+$/)],
		'File Hosts of the credential: add 127.0.0.1:',
	],
];

it.each(someOf(DIFFERENCES, 2))(
	'changes one line if %s',
	async (_, difference, [id, verdict, seen], change) => {
		const entered = await difference();
		const { report, text } = await runPilot({ files: FILES, ...entered });

		const others = (lines: unknown[][]) => lines.filter(([name]) => name !== id);
		const found = linesOf(report);
		expect(others(found)).toEqual(others(idsWithCosts(found)));
		expect(found.filter(([name]) => name === id)).toEqual([[id, verdict, seen]]);
		expect(report.stopped).toBeNull();
		const changes = report.lines.filter((line) => line.change !== undefined);
		expect(changes.map((line) => line.id)).toEqual(change === undefined ? [] : [id]);
		if (change !== undefined) expect(text).toContain(`To change: ${changes[0]?.change}`);
		if (change !== undefined) expect(changes[0]?.change).toContain(change);
	},
);

/** As documented; a file that was refused is no sample of what a scan costs. */
function idsWithCosts(found: unknown[][]): unknown[][] {
	const cost = found.find(([id]) => id === 'scan-cost');
	expect(String(cost?.[2])).toMatch(/^credits: 1(, 1){1,2}$/);
	return AS_DOCUMENTED.map((line) =>
		line[0] === 'scan-cost' ? [...line.slice(0, 2), cost?.[2]] : line,
	);
}

const MANNERS: [MannerName, unknown[]][] = [
	['wrongKey403', ['wrong-key', 'holds', 'status 403']],
	['refusalCharged', ['refusal-cost', "doesn't hold", 'credits: 1']],
	[
		'heicCharged',
		[
			'image-format',
			"doesn't hold",
			expect.stringMatching(/^HEIC, [\d.]+ kB: status 400, credits: 1$/),
		],
	],
];

it.each(someOf(MANNERS, 1))(
	'changes one line if the service has the manner %s',
	async (manner, line) => {
		await sandbox.setManners(manner);
		const { report } = await runPilot({ files: [HEIC] });

		const found = linesOf(report);
		const expected = idsWithCosts(found).map((usual) => {
			if (usual[0] === line[0]) return line;
			return usual[0] === 'other-format' ? ['other-format', 'not seen', undefined] : usual;
		});
		expect(found).toEqual(expected);
		expect(report.stopped).toBeNull();
	},
);

it('pays for no more than Scan allows, even if the form allows more', async () => {
	const files = Array.from({ length: 9 }, (_, index) => {
		return fileOf(`${index}.heic`, Buffer.from(`\0\0\0\x18ftypheic${index}`));
	});
	const { report, text } = await runPilot({ fields: { 'Most Paid Requests': '20' }, files });

	const requests = (await sandbox.requests()).filter(({ method }) => method === 'POST');
	// The request that fails costs nothing, so it takes no place.
	expect(requests).toHaveLength(10);
	expect(await sandbox.billed()).toBe(9);
	expect(report.paidRequests).toEqual({ sent: 10, allowed: 20 });
	expect(text).toContain('It stopped early. Scan allows no more paid requests.');
});

it('has nothing of the person, the key or the secret in its report, and leaves no execution', async () => {
	const { report, text } = await runPilot({ files: [HEIC] });

	const said = JSON.stringify(report) + text;
	expect(said).not.toMatch(/SPECIMEN|S000-1234-5678|1990-02-14|heic\b.*Alex|100 EXAMPLE/i);
	for (const secret of [SECRET, sandbox.apiKey, PROFILE]) expect(said).not.toContain(secret);
	expect(await example.workflow.list()).toEqual([]);
});

const ENDINGS: [string, Difference, why: string, sent: number, unknown[]][] = [
	[
		'credits fall by more than a scan costs',
		async () => await somebodyElse(1),
		'Something else uses this account, or a request costs more than known.',
		2,
		['scan-cost', 'not conclusive', 'credits: 1, 2'],
	],
	[
		'an answer breaks off',
		async () => void (await sandbox.fault({ on: 'scan', kind: 'truncated', skip: 1 })),
		'There was no answer, or one that cannot be understood.',
		2,
		['scan-cost', 'seen once', 'credits: 1'],
	],
	[
		'more credits are left than before',
		() => ({ fields: { 'Credits Now': '9000' } }),
		'More credits are left than before.',
		1,
		['scan-cost', 'not conclusive', 'credits: -999'],
	],
	[
		'too few credits are left',
		async () => {
			await sandbox.setCredits(3);
			return { fields: { 'Credits Now': '5' } };
		},
		'Too few credits are left for another request.',
		1,
		['scan-cost', 'seen once', 'credits: 3'],
	],
];

it.each(someOf(ENDINGS, 2))(
	'stops at once if %s, and reports what it knows',
	async (_, difference, why, sent, line) => {
		const entered = await difference();
		const { report, text } = await runPilot({ files: FILES, ...entered });

		expect(report).toMatchObject({ stopped: why, paidRequests: { sent } });
		expect(text).toContain(`It stopped early. ${why}`);
		expect(linesOf(report)).toContainEqual(line);
		expect(linesOf(report)).toContainEqual(['image-format', 'not seen', undefined]);
	},
);

it.each([
	[
		{ 'Webhook URL': 'https://n8n.example.com/webhook/1' },
		'The Webhook URL has no ?secret= in it.',
	],
	[{ 'Most Paid Requests': '6' }, 'This pilot can need 7 paid requests, and you allow 6.'],
	[{ 'Credits Now': '0' }, 'Credits Now has to be a whole number above 0.'],
])('sends nothing if the form is wrong: %j', async (fields, problem) => {
	await fillIn({ fields, files: FILES });
	await page.getByText(problem).waitFor();
	await page.waitForLoadState('networkidle');
	await untilGone(example.workflow);

	expect(await sandbox.requests()).toEqual([]);
});
