import type { IDataObject } from 'n8n-workflow';

import { fixture } from '../support/fixtures';
import { callTrigger } from './callTrigger';

/** Stands where a sender could have put personal data. */
const MARK = 'Ivo-Varkov-1971';

const EVENT = 'hosted_conclusive';

const pathsOf = (body: unknown) =>
	(body as { problems: { path: string }[] }).problems.map(({ path }) => path);

const refusalWith = (paths: string[]) => ({
	status: 400,
	started: undefined,
	body: {
		error: 'Not a readable webhook',
		problems: paths.map((path) => ({ path, problem: expect.any(String) })),
	},
});

describe('a body that is no object is refused', () => {
	it.each([
		['nothing', undefined],
		['null', null],
		['an empty list', []],
		['a list of results', [fixture('webhook-accept')]],
		['text', `event=${EVENT}`],
		['JSON in text', JSON.stringify(fixture('webhook-accept'))],
		['an empty text', ''],
		['a number', 42],
		['true', true],
	])('%s', async (_, body) => {
		expect(await callTrigger({ body })).toEqual(refusalWith(['']));
	});
});

describe('a body without a readable event is refused', () => {
	it.each([
		['an empty object', {}],
		['a form without an event', { name: MARK }],
		['a form that holds JSON', { [JSON.stringify(fixture('webhook-accept'))]: '' }],
		['multipart as n8n hands it on', { data: { event: EVENT }, files: {} }],
		['XML with a root element', { root: { event: EVENT } }],
		['an event of null', { event: null }],
		['a list of events', { event: [EVENT] }],
		['a number', { event: 1 }],
		['an object', { event: { [EVENT]: true } }],
	])('%s', async (_, body) => {
		expect(await callTrigger({ body })).toEqual(refusalWith(['event']));
	});

	// n8n's parsers turn both of these into an object that is like a result.
	it.each([
		['a form', 'application/x-www-form-urlencoded', { event: EVENT, decision: 'accept' }],
		['XML', 'text/xml', { event: EVENT }],
	])('%s that holds the event', async (_, contentType, body) => {
		const headers = { 'Content-Type': contentType };

		const { status, started } = await callTrigger({ body, headers });

		expect({ status, started }).toEqual({ status: 400, started: undefined });
	});
});

describe('a result that can not be read', () => {
	const shapes: [path: string, changes: IDataObject][] = [
		['success', { success: MARK }],
		['transactionId', { transactionId: { [MARK]: MARK } }],
		['profileId', { profileId: [MARK] }],
		['customData', { customData: [MARK] }],
		['reviewScore', { reviewScore: MARK }],
		['data', { data: MARK }],
		['data', { data: [MARK] }],
		['data.firstName', { data: { firstName: MARK } }],
		['data.firstName[0]', { data: { firstName: [MARK] } }],
		['data.firstName[0].value', { data: { firstName: [{ value: [MARK] }] } }],
		['data.firstName[0].value', { data: { firstName: [{}] } }],
		['data.firstName[0].confidence', { data: { firstName: [{ value: MARK, confidence: 2 }] } }],
		['data.*', { data: { [MARK]: MARK } }],
		['data.*[0].value', { data: { [MARK]: [{ value: { [MARK]: 1 } }] } }],
		['data.*', { data: { toString: MARK } }],
		['warning', { warning: { [MARK]: 1 } }],
		['warning[0].code', { warning: [{ description: MARK }] }],
		['warning[0].severity', { warning: [{ code: MARK, severity: MARK }] }],
		['warning[0].data.alias', { warning: [{ code: 'AML_SANCTION', data: { alias: MARK } }] }],
		['outputFile', { outputFile: { [MARK]: MARK } }],
		['outputImage.front', { outputImage: { front: [MARK] } }],
		['missingFields[0]', { missingFields: [{ [MARK]: MARK }] }],
	];

	it.each(shapes)('is refused with the path %s', async (path, changes) => {
		const { status, body, started } = await callTrigger({
			body: fixture('webhook-accept', changes),
		});

		expect({ status, started }).toEqual({ status: 400, started: undefined });
		expect(pathsOf(body)).toEqual([path]);
		expect(JSON.stringify(body)).not.toContain(MARK);
	});

	it('is refused without a list of problems that never ends', async () => {
		const warning = Array.from({ length: 1_000 }, () => ({ code: 1 }));

		const { body } = await callTrigger({ body: fixture('webhook-accept', { warning }) });

		expect(pathsOf(body).length).toBeLessThanOrEqual(10);
	});

	it('is refused when it is nested without end', async () => {
		const extra = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) as IDataObject[];

		expect(await callTrigger({ body: fixture('webhook-accept', { extra }) })).toEqual(
			refusalWith(['']),
		);
	});
});
