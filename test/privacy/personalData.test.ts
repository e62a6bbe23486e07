import { inspect } from 'node:util';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fixture, SCAN_FIXTURES, WEBHOOK_FIXTURES } from '../kit/data/fixtures';
import { JSON_TYPE, listenJson, listenToEnd } from '../kit/service/httpServer';
import { tellingValues } from '../kit/data/personalValues';
import { useSandbox } from '../kit/service/sandbox';
import { callTrigger } from '../kit/engine/callTrigger';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem } from '../kit/engine/action';
import { useLogs } from '../kit/engine/logs';
import { CONTINUE } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);
const logs = useLogs();

const image = picture(600);
const base64 = image.toString('base64');
const result = fixture('scan-aml');
/** The service sends back what it got. */
const resultText = JSON.stringify({ ...result, echo: `sandbox-key ${base64}` });
const personal = tellingValues(result);
const secrets = [...personal, 'sandbox-key', base64.slice(0, 100), base64.slice(-100)];

interface Answer {
	status: number;
	body: string;
	headers?: Record<string, string>;
}

/**
 * All that a failed request, usually a scan, leaves behind: thrown, as an error item, and in n8n's
 * log.
 */
async function tracesOf(
	{ status, body, headers = JSON_TYPE }: Answer,
	parameters?: INodeParameters,
): Promise<string[]> {
	const { url: baseUrl } = await listenToEnd((_, response) =>
		response.writeHead(status, headers).end(body),
	);
	const items = [documentItem(image)];
	const options = { items, credential: { baseUrl }, parameters };
	const thrown = await run(options);
	const continued = await run({ ...options, settings: CONTINUE });

	const failed = continued.outputs[0]?.map(({ json, error }) => ({ json, error }));
	expect(failed).toEqual([{ json: { error: expect.any(String) }, error: expect.any(Error) }]);
	expect(thrown.status).toBe('error');
	const kept = [thrown.error, thrown.stored.resultData.error, failed];
	return [logs.text(), JSON.stringify(kept), inspect(kept, { depth: Infinity, showHidden: true })];
}

async function expectNothingPersonal(answer: Answer, parameters?: INodeParameters): Promise<void> {
	const traces = await tracesOf(answer, parameters);

	expect(secrets.filter((value) => traces.some((trace) => trace.includes(value)))).toEqual([]);
}

it('has values to look for', () => {
	expect(personal).toEqual(expect.arrayContaining(['Ivo Varkov', '1971-11-23', '12 Harbour Lane']));
});

describe('a whole result with an error status leaves nothing personal', () => {
	it.each([302, 400, 401, 404, 500, 503])(
		'status %d',
		async (status) => await expectNothingPersonal({ status, body: resultText }),
	);

	it.each([
		['within a list', `[${resultText}]`],
		['within an error', `{"error":${resultText},"detail":[${resultText}]}`],
		['within a message', `{"message":${resultText}}`],
		['cut', resultText.slice(0, 3_000)],
		['after a text', `Could not store the result: ${resultText}`],
		['in the text of a message', JSON.stringify({ message: `Failed for ${resultText}` })],
		['in a page', `<html><title>Failed for ${resultText}</title></html>`],
	])('%s', async (_, body) => await expectNothingPersonal({ status: 500, body }));
});

/** Of a result, parts that can't be read. */
const damages: IDataObject[] = [
	{ data: 'Ivo Varkov' },
	{ data: { 'Ivo Varkov': '1971-11-23' } },
	{ data: { fullName: ['Ivo Varkov'] } },
	{ warning: [{ code: ['Ivo Varkov'] }] },
	...['code', 'severity', 'confidence', 'decision', 'description', 'Ivo Varkov'].map((key) => ({
		warning: [{ code: 'FAKE_ID', [key]: 'Ivo Varkov' }],
	})),
	{ warning: [{ code: 'AML_SANCTION', data: { fullname: 'Ivo Varkov' } }] },
	{ success: 'Ivo Varkov' },
	{ transactionId: ['Ivo Varkov'] },
	{ outputImage: ['Ivo Varkov'] },
	{ reviewScore: '1971-11-23' },
];

describe('a paid answer that is no result leaves nothing personal', () => {
	const others = [{}, { transactionId: 'Ivo Varkov' }, { error: ['Ivo Varkov'] }];

	it.each<IDataObject>([...others, ...damages])('with %j', async (changes) => {
		const failed = { ...result, success: false, error: true, decision: null };

		await expectNothingPersonal({ status: 200, body: JSON.stringify({ ...failed, ...changes }) });
	});

	it.each([0.1, 0.99])('cut after %d of it', async (part) => {
		const body = resultText.slice(0, Math.floor(resultText.length * part));

		await expectNothingPersonal({ status: 200, body });
	});

	it('broken off in the middle', async () => {
		const headers = { ...JSON_TYPE, 'Content-Length': String(resultText.length) };

		await expectNothingPersonal({ status: 200, body: resultText.slice(0, 4_000), headers });
	}, 60_000);

	it.each<[string, string, INodeParameters]>([
		['scan', 'Ivo Varkov, 1971-11-23: accept', {}],
		['link', '{"message":"Created for Ivo Varkov"}', { operation: 'createHostedLink', mode: 0 }],
	])('a text in place of a %s', async (_, body, parameters) => {
		await expectNothingPersonal({ status: 200, body }, parameters);
	});

	it.each(['text/plain', 'text/html'])('in %s that is no JSON', async (type) => {
		const headers = { 'Content-Type': type };

		await expectNothingPersonal({ status: 200, body: `OK ${resultText.slice(0, -1)}`, headers });
	});
});

describe('a result with a part that cannot be read leaves nothing personal with Decision Only', () => {
	it.each([{ decision: 'Ivo Varkov' }, ...damages])('with %j', async (changes) => {
		const body = { ...result, ...changes };
		const server = await listenJson(() => ({ body }));
		const parameters = { output: 'decisionOnly' };
		const scanned = await run({ credential: { baseUrl: server.url }, parameters });
		const webhook = { ...body, event: 'hosted_conclusive' };
		const received = await callTrigger({ body: webhook, parameters });

		expect(scanned.error).toBeUndefined();
		expect(received.started?.flat()).toHaveLength(1);
		const texts = JSON.stringify([scanned.stored, scanned.hints, received]) + logs.text();
		expect(personal.filter((value) => texts.includes(value))).toEqual([]);
	});
});

describe('a refusal of the trigger holds nothing personal', () => {
	const refused: IDataObject[] = [
		{ event: ['Ivo Varkov'] },
		{ profileId: ['1971-11-23'], ...damages[1] },
	];
	const parameters = { options: { profiles: 'other' } };

	it.each([...SCAN_FIXTURES, ...WEBHOOK_FIXTURES])('of %s', async (name) => {
		const answers = [
			await callTrigger({ body: fixture(name), query: {} }),
			await callTrigger({ body: fixture(name), settings: { alwaysOutputData: true } }),
			await callTrigger({ body: fixture(name), parameters }),
			await callTrigger({ body: [fixture(name)] }),
			await callTrigger({ body: JSON.stringify(fixture(name)) }),
			...(await Promise.all(
				refused.map(
					async (changes) => await callTrigger({ body: fixture(name, changes), parameters }),
				),
			)),
		];
		const texts = JSON.stringify(answers) + logs.text();

		expect(answers.map(({ started }) => started).filter(Boolean)).toEqual([]);
		const values = [...tellingValues(fixture(name)), 'Ivo Varkov', '1971-11-23'];
		expect(values.filter((value) => texts.includes(value))).toEqual([]);
	});
});
