import type { IDataObject } from 'n8n-workflow';

import { fixture } from '../kit/fixtures';
import { callTrigger, RECEIVED } from '../kit/trigger/callTrigger';

/** Stands where a sender could have put personal data. */
const MARK = 'Ivo-Varkov-1971';

const shapes: [path: string, changes: IDataObject][] = [
	['success', { success: MARK, decision: 'review' }],
	['transactionId', { transactionId: { [MARK]: MARK } }],
	['hosted', { hosted: [MARK] }],
	['reviewScore', { reviewScore: MARK }],
	['credit', { credit: '731' }],
	['data', { data: MARK }],
	['data', { data: [MARK] }],
	['data.firstName', { data: { firstName: MARK } }],
	['data.dob', { data: { dob: null } }],
	['data.firstName[0]', { data: { firstName: [MARK] } }],
	['data.firstName[0].value', { data: { firstName: [{ value: [MARK] }] } }],
	['data.firstName[0].confidence', { data: { firstName: [{ value: 'A', confidence: 98.2 }] } }],
	['data.firstName[0].confidence', { data: { firstName: [{ value: 'A', confidence: '0.9' }] } }],
	['data.firstName[0].inputBox', { data: { firstName: [{ value: 'A', inputBox: [] }] } }],
	['data.*', { data: { [MARK]: MARK } }],
	['data.*[0].value', { data: { [MARK]: [{ value: { [MARK]: 1 } }] } }],
	['data.*', { data: { toString: MARK } }],
	['warning', { warning: { [MARK]: 1 } }],
	['warning[0]', { warning: [MARK] }],
	['warning[0].code', { warning: [{ code: { [MARK]: 1 } }] }],
	['warning[0].severity', { warning: [{ code: 'X', severity: MARK }] }],
	['warning[0].severity', { warning: [{ code: 'X', severity: '' }] }],
	['warning[0].decision', { warning: [{ code: 'X', decision: 'Reject' }] }],
	['warning[0].data.alias', { warning: [{ code: 'AML_SANCTION', data: { alias: MARK } }] }],
	['outputFile', { outputFile: { [MARK]: MARK } }],
	['outputImage.front', { outputImage: { front: [MARK] } }],
	['missingFields[0]', { missingFields: [{ [MARK]: MARK }] }],
];

describe.each(['simplified', 'decisionOnly'])('%s of a result', (output) => {
	it.each(shapes)('names %s, and leaves it out: %j', async (path, changes) => {
		const body = fixture('webhook-review', changes);

		const answer = await callTrigger({ body, parameters: { output } });

		const item = expect.objectContaining({ decision: 'review', unreadable: [path] });
		expect(answer).toEqual({ status: 200, body: RECEIVED, started: [[item], [], []] });
		expect(JSON.stringify(answer)).not.toContain(MARK);
	});

	it('has no list when all of it can be read', async () => {
		const { started } = await callTrigger({ parameters: { output } });

		expect(started?.flat()).toHaveLength(1);
		expect(started?.flat()[0]).not.toHaveProperty('unreadable');
	});

	it('keeps the output of its decision, whatever else can not be read', async () => {
		const changes = Object.assign({}, ...shapes.map(([, change]) => change)) as IDataObject;

		for (const [index, decision] of ['review', 'accept', 'reject'].entries()) {
			const body = fixture('webhook-accept', { ...changes, success: true, decision });
			const { status, started = [] } = await callTrigger({ body, parameters: { output } });

			expect(status).toBe(200);
			expect(started.map((items) => items.length)).toEqual(
				[0, 1, 2].map((other) => (other === index ? 1 : 0)),
			);
			expect(started[index]).toEqual([expect.objectContaining({ decision })]);
		}
	});
});

it.each(shapes)('Raw of a result has %s as received: %j', async (_, changes) => {
	const body = fixture('webhook-review', changes);

	const { started } = await callTrigger({ body, parameters: { output: 'raw' } });

	expect(started).toEqual([[body], [], []]);
});

it('a sanction record keeps the parts that can be read', async () => {
	const [{ data: record }] = fixture('webhook-reject-aml').warning as [{ data: IDataObject }];
	const data = { ...record, alias: 'Ivo', time: {} };
	const body = fixture('webhook-reject-aml', { warning: [{ code: 'AML_SANCTION', data }] });

	const { started } = await callTrigger({ body });

	const [item] = started?.[2] ?? [];
	const [sanction] = item?.sanctions as [IDataObject];
	const { alias, time, documentnumber, ...rest } = record;
	expect([alias, time]).not.toContain(undefined);
	expect(sanction).toMatchObject(rest);
	expect(sanction).not.toHaveProperty('alias');
	expect(sanction).not.toHaveProperty('time');
	expect(sanction).toHaveProperty('documentnumber', expect.anything());
	expect(documentnumber).toBeDefined();
	expect(item?.unreadable).toEqual(['warning[0].data.alias', 'warning[0].data.time']);
});

describe('a result whose accept is not trusted starts at Review, marked', () => {
	it.each<IDataObject>([
		{ success: false },
		{ success: 'true' },
		{ success: 0 },
		{ error: 'x' },
		{ error: { code: 7 } },
		{ error: true },
	])('with %j', async (changes) => {
		const body = fixture('webhook-accept', changes);
		for (const output of ['simplified', 'decisionOnly']) {
			const { status, started } = await callTrigger({ body, parameters: { output } });

			const item = expect.objectContaining({ decision: null, unrecognizedDecision: true });
			expect({ status, started }).toEqual({ status: 200, started: [[item], [], []] });
		}
		const { started } = await callTrigger({ body, parameters: { output: 'raw' } });
		expect(started).toEqual([[{ ...body, unrecognizedDecision: true }], [], []]);
	});
});

it.each<IDataObject>([
	{ success: false },
	{ error: { message: 'x' } },
	{ success: false, error: 'x', decision: null },
])('a result that says that it is none starts at Review, marked: %j', async (changes) => {
	const { status, started } = await callTrigger({
		body: { event: 'hosted_conclusive', customData: 'customer-1', ...changes },
	});

	const item = { decision: null, customData: 'customer-1', unrecognizedDecision: true };
	expect({ status, started }).toMatchObject({ status: 200, started: [[item], [], []] });
});

it.each(['simplified', 'raw', 'decisionOnly'])(
	'%s of a result is without a field that is nested too deeply, which it names',
	async (output) => {
		const result = fixture('webhook-review');
		const endless = '['.repeat(100_000) + ']'.repeat(100_000);
		const bytes = `${JSON.stringify(result).slice(0, -1)},"${MARK}":${endless},"missingFields":${endless}}`;

		const answer = await callTrigger({ body: Buffer.from(bytes), parameters: { output } });

		const item = output === 'raw' ? result : { decision: 'review', customData: result.customData };
		expect(answer.started).toEqual([[expect.objectContaining(item)], [], []]);
		expect(answer.started?.flat()[0]?.unreadable).toEqual(['*', 'missingFields']);
		expect(JSON.stringify(answer)).not.toContain(MARK);
	},
);
