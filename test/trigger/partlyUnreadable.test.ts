import type { IDataObject } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { callTrigger, RECEIVED } from '../kit/engine/callTrigger';

/** A text where a sender could have put personal data. */
const MARK = 'Ivo-Varkov-1971';

const shapes: [field: string, changes: IDataObject][] = [
	['success', { success: MARK, decision: 'review' }],
	['transactionId', { transactionId: { [MARK]: MARK } }],
	['hosted', { hosted: [MARK] }],
	['customData', { customData: { [MARK]: 1 } }],
	['customData', { customData: [MARK] }],
	['customData', { customData: true }],
	['profileId', { profileId: { [MARK]: 1 } }],
	['reviewScore', { reviewScore: MARK }],
	['credit', { credit: '731 credits' }],
	['data', { data: MARK }],
	['data', { data: [MARK] }],
	['data', { data: { firstName: MARK } }],
	['data', { data: { dob: null } }],
	['data', { data: { firstName: [MARK] } }],
	['data', { data: { firstName: [{ value: [MARK] }] } }],
	['data', { data: { [MARK]: MARK } }],
	['data', { data: { [MARK]: [{ value: { [MARK]: 1 } }] } }],
	['data', { data: { toString: MARK } }],
	['data', { data: { firstName: { 0: { value: MARK } } } }],
	['warning', { warning: { [MARK]: 1 } }],
	['warning', { warning: { 1: { code: 'X' }, 3: { code: 'Y' } } }],
	['warning', { warning: [MARK] }],
	['warning', { warning: [{ code: { [MARK]: 1 } }] }],
	['warning', { warning: [{ code: 'X', severity: MARK }] }],
	['warning', { warning: [{ code: 'X', severity: '' }] }],
	['warning', { warning: [{ code: 'X', decision: 'Reject' }] }],
	['warning', { warning: [{ code: 'AML_SANCTION', data: MARK }] }],
	['outputFile', { outputFile: { [MARK]: MARK } }],
	['outputImage', { outputImage: { front: [MARK] } }],
	['missingFields', { missingFields: [{ [MARK]: MARK }] }],
];

describe.each(['simplified', 'decisionOnly'])('%s of a result', (output) => {
	it.each(shapes)('names %s, and leaves out what is wrong: %j', async (field, changes) => {
		const body = fixture('webhook-review', changes);

		const answer = await callTrigger({ body, parameters: { output } });

		const item = expect.objectContaining({ decision: 'review', unreadable: [field] });
		expect(answer).toEqual({ status: 200, body: RECEIVED, started: [[item], [], []] });
		expect(JSON.stringify(answer)).not.toContain(MARK);
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

describe('a long list of sanctions records', () => {
	const record = (alias: unknown) => ({
		code: 'AML_SANCTION',
		severity: 'high',
		decision: 'review',
		data: { alias },
	});
	const names = Array.from({ length: 200 }, (_, index) => `${MARK} ${index}`);
	const warning = [...Array.from({ length: 50 }, () => record(names)), { code: 'FAKE_ID' }];
	const body = fixture('webhook-review', { warning });

	it('leaves all warnings, and all records', async () => {
		const [item] = (await callTrigger({ body })).started?.flat() ?? [];

		expect(item?.warnings).toHaveLength(51);
		expect(item?.sanctions).toEqual(Array.from({ length: 50 }, () => ({ alias: names })));
		expect(item).toMatchObject({ details: { warningCodes: ['AML_SANCTION', 'FAKE_ID'] } });
		expect(item).not.toHaveProperty('unreadable');
	});

	it('is one warning for Decision Only', async () => {
		const { started } = await callTrigger({ body, parameters: { output: 'decisionOnly' } });

		expect(started?.flat()).toMatchObject([
			{
				warnings: [
					{ code: 'AML_SANCTION', severity: 'high', confidence: null, decision: 'review' },
					{ code: 'FAKE_ID', severity: null, confidence: null, decision: null },
				],
				details: { warningCodes: ['AML_SANCTION', 'FAKE_ID'] },
			},
		]);
	});
});

describe('an ID that JSON cannot hold as a number', () => {
	const BIG = '8202522731445525542';
	const ids = ['transactionId', 'profileId', 'customData', 'hosted'];
	const json = JSON.stringify(fixture('webhook-review')).replace(
		/"(transactionId|profileId|customData|hosted)":"[^"]*"/g,
		`"$1":${BIG}`,
	);

	it('is null, and named', async () => {
		const { status, started } = await callTrigger({ body: Buffer.from(json) });

		expect({ status, started }).toMatchObject({
			status: 200,
			started: [
				[
					{
						decision: 'review',
						customData: null,
						reference: null,
						transactionId: null,
						details: { profileId: null },
						unreadable: ids,
					},
				],
				[],
				[],
			],
		});
	});

	it('is in Raw as n8n parses it, and named', async () => {
		const body = JSON.parse(json) as IDataObject;

		const { started } = await callTrigger({
			body: Buffer.from(json),
			parameters: { output: 'raw' },
		});

		expect(started).toEqual([[{ ...body, unreadable: ids }], [], []]);
	});

	// Not received in silence: it can be the trigger's own.
	it('is of no profile that the trigger lists, nor of another', async () => {
		for (const profiles of [BIG, String(Number(BIG)), 'kyc-standard']) {
			const parameters = { options: { profiles } };
			const { status, body, started } = await callTrigger({
				body: Buffer.from(json),
				parameters,
			});

			expect({ status, body, started }).toEqual({
				status: 400,
				body: {
					error: 'Not a readable webhook',
					problems: [{ path: 'profileId', problem: 'cannot be read as an ID' }],
				},
				started: undefined,
			});
		}
	});
});

describe('a number that Python writes and JSON does not have', () => {
	const body = (json: string) =>
		Buffer.from(`{"event":"hosted_conclusive","decision":"accept",${json}}`);
	const send = async (json: string, output = 'simplified') =>
		await callTrigger({
			body: body(json),
			// n8n itself refuses what is called application/json.
			headers: { 'Content-Type': 'text/json' },
			parameters: { output },
		});

	it.each(['simplified', 'raw', 'decisionOnly'])('sends it to Review, as %s', async (output) => {
		for (const decision of ['accept', 'reject', 'review']) {
			const json = `"decision":"${decision}","customData":"C-NaN-1","credit":NaN`;

			expect((await send(json, output)).started).toMatchObject([
				[{ customData: 'C-NaN-1', unrecognizedDecision: true, unreadable: ['*'] }],
				[],
				[],
			]);
		}
	});

	it('leaves no Custom Data that it can have changed', async () => {
		const { started } = await send('"customData":"a,NaN]","x":NaN');

		expect(started).toMatchObject([[{ customData: null, unreadable: ['*'] }], [], []]);
	});

	it.each(['"success":NaN', '"error":Infinity', '"error":1e400', '"executionTime":1e400'])(
		'leaves no accept trusted: %s',
		async (json) => {
			for (const output of ['simplified', 'raw', 'decisionOnly']) {
				const { started } = await send(json, output);

				expect(started).toMatchObject([[{ unrecognizedDecision: true }], [], []]);
			}
		},
	);
});
