import type { ServerResponse } from 'node:http';

import { Clock } from '../../dev/sandbox/clock';
import type { HostedLink, Result } from '../../dev/sandbox/interface';
import type { MannerName } from '../../dev/sandbox/manners';
import { listenToEnd } from '../kit/service/httpServer';
import { useReceiver } from '../kit/service/receiver';
import { useFresh } from '../kit/service/sandbox';
import { until } from '../kit/until';
import { SandboxUnderTest, json } from './support/sandboxUnderTest';

const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1').toString('base64');
const REFUSAL = { message: 'The API key is missing or not valid. Send it as X-API-KEY.' };

/** Longer than any cut, and with something for each manner to change. */
const LONG = 'x'.repeat(300);
const CUSTOM_DATA = ` Cafe\u0301 <b>"A" & 'B'</b> ${LONG} `;

const MINUTE_MS = 60_000;
const TEN_MINUTES_MS = 10 * MINUTE_MS;

/** Ten minutes take a tenth of a second. */
const HIGH_SPEED = 6_000;

/** What a client sees of the service. */
interface Seen {
	wrongKey: { statuses: number[]; location: string | null; body: unknown };
	scanCost: number;
	unknownProfile: { status: number; cost: number };
	heic: { status: number; cost: number };
	linkCost: number;
	/** How the page of a link answers the first time and the second time. */
	opened: number[];
	customData: unknown;
	webhook: { request: string; contentType: string | undefined; form: string } | undefined;
	isLate: boolean;
	/** How often a webhook arrives that is answered with 200. */
	times: number;
	/** How often one arrives that is first answered with 500. */
	timesAfterFailure: number;
	files: { hostname: string; status: number };
}

const USUAL: Seen = {
	wrongKey: { statuses: [401, 401], location: null, body: REFUSAL },
	scanCost: 1,
	unknownProfile: { status: 404, cost: 0 },
	heic: { status: 200, cost: 1 },
	linkCost: 2,
	opened: [200, 200],
	customData: CUSTOM_DATA,
	webhook: { request: 'POST /', contentType: 'application/json', form: 'JSON' },
	isLate: false,
	times: 1,
	timesAfterFailure: 1,
	files: { hostname: '127.0.0.1', status: 200 },
};

const FORM_TYPE = 'application/x-www-form-urlencoded';
const webhook = (difference: object) => ({
	webhook: { ...USUAL.webhook, ...difference } as Seen['webhook'],
});

/** What differs with each manner. */
const DIFFERENCES: Record<MannerName, Partial<Seen>> = {
	customDataTrimmed: { customData: `Cafe\u0301 <b>"A" & 'B'</b> ${LONG}` },
	customDataLowerCase: { customData: ` cafe\u0301 <b>"a" & 'b'</b> ${LONG} ` },
	customDataNormalized: { customData: ` Caf\u00e9 <b>"A" & 'B'</b> ${LONG} ` },
	customDataEscaped: {
		customData: ` Cafe\u0301 &lt;b&gt;&quot;A&quot; &amp; &#39;B&#39;&lt;/b&gt; ${LONG} `,
	},
	customDataCutAt255: { customData: CUSTOM_DATA.slice(0, 255) },
	customDataCutAt128: { customData: CUSTOM_DATA.slice(0, 128) },
	customDataCutAt64: { customData: CUSTOM_DATA.slice(0, 64) },
	webhookPut: webhook({ request: 'PUT /' }),
	webhookForm: webhook({ contentType: FORM_TYPE, form: 'payload' }),
	webhookFormFields: webhook({ contentType: FORM_TYPE, form: 'fields' }),
	webhookWithoutType: webhook({ contentType: undefined }),
	webhookLate: { isLate: true },
	webhookThreeTimes: { times: 3, timesAfterFailure: 3 },
	webhookTwiceAtOnce: { times: 2, timesAfterFailure: 2 },
	webhookRepeated: { timesAfterFailure: 2 },
	webhookNever: { times: 0, timesAfterFailure: 0, webhook: undefined, customData: undefined },
	wrongKey200: {
		wrongKey: { statuses: [200, 200], location: null, body: { success: false, error: REFUSAL } },
	},
	wrongKey403: { wrongKey: { statuses: [403, 403], location: null, body: REFUSAL } },
	wrongKeyRedirect: { wrongKey: { statuses: [302, 302], location: '/portal', body: '' } },
	refusalCharged: { unknownProfile: { status: 404, cost: 1 } },
	creditsTwice: { scanCost: 2, heic: { status: 200, cost: 2 }, linkCost: 4 },
	creditsNotWhole: { scanCost: 1.25, heic: { status: 200, cost: 1.25 }, linkCost: 2.5 },
	heicRefused: { heic: { status: 400, cost: 0 } },
	heicCharged: { heic: { status: 400, cost: 1 } },
	filesElsewhere: { files: { hostname: 'localhost', status: 200 } },
	linkOpensOnce: { opened: [200, 410] },
};

const client = useFresh(new SandboxUnderTest());
const receiver = useReceiver();
let waits = jest.spyOn(Clock.prototype, 'wait');
beforeEach(async () => {
	waits = jest.spyOn(Clock.prototype, 'wait');
	waits.mockClear();
	await client.setProfile('sandbox-accept', { webhookUrl: receiver.url });
});

it('behaves as usual without a manner', async () => {
	expect(await seen(USUAL)).toEqual(USUAL);
});

it.each(Object.entries(DIFFERENCES))(
	'%s changes what it says and nothing else',
	async (name, difference) => {
		await client.setManners(name as MannerName);
		const expected = { ...USUAL, ...difference };

		expect(await seen(expected)).toEqual(expected);
	},
);

it('manners of different places add up', async () => {
	const names: MannerName[] = [
		'customDataCutAt64',
		'webhookForm',
		'webhookThreeTimes',
		'wrongKey403',
		'creditsTwice',
		'heicRefused',
		'filesElsewhere',
		'linkOpensOnce',
	];
	await client.setManners(...names);
	const expected = Object.assign({}, USUAL, ...names.map((name) => DIFFERENCES[name])) as Seen;

	expect((await client.state()).manners).toEqual(names);
	expect(await seen(expected)).toEqual(expected);
});

it('manners of one place add up where they can', async () => {
	await client.setManners(
		'customDataTrimmed',
		'customDataLowerCase',
		'webhookPut',
		'webhookWithoutType',
	);
	const expected: Seen = {
		...USUAL,
		customData: `cafe\u0301 <b>"a" & 'b'</b> ${LONG}`,
		webhook: { request: 'PUT /', contentType: undefined, form: 'JSON' },
	};

	expect(await seen(expected)).toEqual(expected);
});

it('webhookTwiceAtOnce sends both before one is answered', async () => {
	const open: ServerResponse[] = [];
	const { url } = await listenToEnd((_, response) => void open.push(response));
	await client.setProfile('sandbox-accept', { webhookUrl: url });
	await client.setManners('webhookTwiceAtOnce');

	await client.finish((await client.link()).url, 'accept');
	await until('two webhooks to be open', () => open.length === 2);

	open.forEach((response) => response.end());
});

it('a webhook that is late is not sent any more after a reset', async () => {
	await client.setManners('webhookLate');
	await client.finish((await client.link()).url, 'accept');
	await client.reset();
	await client.setProfile('sandbox-accept', { webhookUrl: receiver.url });

	await untilQuiet();
	expect(receiver.received).toHaveLength(1);
});

it('a webhook is not repeated any more when the manner is switched off', async () => {
	const ends: ((isRunning: boolean) => void)[] = [];
	waits.mockImplementation(async (ms) =>
		ms < MINUTE_MS ? true : await new Promise((resolve) => ends.push(resolve)),
	);
	receiver.failOnce(500);
	await client.setManners('webhookRepeated');
	await client.verify({}, 'accept');
	await until('it to wait for the next try', () => ends.length > 0);
	await client.setManners();
	waits.mockRestore();
	for (const end of ends) end(true);

	await client.verify({}, 'accept');
	expect(receiver.received).toHaveLength(2);
});

/**
 * Resolves when the sandbox waits for nothing more without its manners, and what it had sent by then
 * has arrived: one more webhook, which is sent last.
 */
async function untilQuiet(): Promise<void> {
	await client.setManners();
	await Promise.all(waits.mock.results.map(async ({ value }) => await (value as Promise<boolean>)));
	await client.verify({}, 'accept');
}

it('Resend of the portal sends a webhook once, at once, with the same method', async () => {
	const sent = await client.verify({}, 'accept');
	await client.setManners('webhookPut', 'webhookThreeTimes', 'webhookLate');
	await client.resend(sent);

	expect(receiver.received.map(({ request }) => request)).toEqual(['POST /', 'PUT /']);
});

/** Uses the service as a client does. Waits for as many webhooks as are expected. */
async function seen({ times, timesAfterFailure }: Seen): Promise<Seen> {
	const scan = async () => await json<Result>(await client.scan());
	const wrongKey = await seenWithWrongKey();
	const first = await scan();
	let { credit } = await scan();
	const scanCost = first.credit - credit;
	const costOf = async (call: () => Promise<unknown>) => {
		const before = credit;
		await call();
		({ credit } = await scan());
		return before - credit - scanCost;
	};
	const scanned = async (fields: object) => {
		let status = 0;
		const cost = await costOf(async () => ({ status } = await client.scan(fields)));
		return { status, cost };
	};
	const unknownProfile = await scanned({ profile: 'unknown' });
	const heic = await scanned({ document: HEIC });
	let link: HostedLink = { reference: '', url: '', qrCode: '' };
	const linkCost = await costOf(
		async () => (link = await client.link({ customData: CUSTOM_DATA })),
	);
	const opened = [(await fetch(link.url)).status, (await fetch(link.url)).status];
	const files = await downloaded(first);

	await client.setClock(HIGH_SPEED);
	const received = await finished(link, times);
	const isLate = waits.mock.calls.some(([ms]) => ms >= TEN_MINUTES_MS);
	receiver.failOnce(500);
	const failed = await finished(await client.link(), timesAfterFailure);
	await untilQuiet();

	const [webhook] = received();
	return {
		wrongKey,
		scanCost,
		unknownProfile,
		heic,
		linkCost,
		opened,
		customData: webhook?.result.customData,
		webhook: webhook && {
			request: webhook.request,
			contentType: webhook.contentType,
			form: webhook.form,
		},
		isLate,
		times: received().length,
		timesAfterFailure: failed().length,
		files,
	};
}

async function seenWithWrongKey(): Promise<Seen['wrongKey']> {
	const headers = { 'X-API-KEY': 'wrong' };
	const answer = await client.call('/scan', {}, headers);
	const tested = await fetch(`${client.url}/scan`, { headers, redirect: 'manual' });
	const text = await answer.text();
	return {
		statuses: [answer.status, tested.status],
		location: answer.headers.get('location'),
		body: text && (JSON.parse(text) as unknown),
	};
}

async function downloaded({ outputFile, outputImage }: Result): Promise<Seen['files']> {
	const [file] = outputFile;
	const urls = [file?.fileUrl ?? '', outputImage.front ?? ''];
	const answers = await Promise.all(urls.map(async (url) => await fetch(url)));
	const [hostname = '', other] = urls.map((url) => new URL(url).hostname);
	const [status = 0, otherStatus] = answers.map((answer) => answer.status);
	expect([other, otherStatus]).toEqual([hostname, status]);
	return { hostname, status };
}

/** Finishes a link, and waits for that many webhooks. Returns what reads them. */
async function finished({ reference, url }: HostedLink, times: number) {
	const received = () =>
		receiver.received.map(readWebhook).filter(({ result }) => result.hosted === reference);
	await client.finish(url, 'accept');
	await until('all webhooks', () => received().length >= times);
	return received;
}

/** A webhook, in whichever form it has arrived. */
function readWebhook({ request, contentType, text }: (typeof receiver.received)[number]) {
	const read = (form: string, result: unknown) => ({
		request,
		contentType,
		form,
		result: result as Record<string, unknown>,
	});
	if (text.startsWith('{')) return read('JSON', JSON.parse(text));
	const fields = Object.fromEntries(new URLSearchParams(text));
	if (fields.payload !== undefined) return read('payload', JSON.parse(fields.payload));
	expect(JSON.parse(fields.data ?? '')).toHaveProperty('firstName');
	return read('fields', fields);
}
