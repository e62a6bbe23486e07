import type { IDataObject } from 'n8n-workflow';

import { fixture } from '../kit/fixtures';
import { callTrigger, RECEIVED } from '../kit/trigger/callTrigger';

/** A text where a sender could have put personal data. */
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
	['data.*', { data: { [MARK]: MARK } }],
	['data.*[0].value', { data: { [MARK]: [{ value: { [MARK]: 1 } }] } }],
	['data.*', { data: { toString: MARK } }],
	['warning', { warning: { [MARK]: 1 } }],
	['warning[0]', { warning: [MARK] }],
	['warning[0].code', { warning: [{ code: { [MARK]: 1 } }] }],
	['warning[0].severity', { warning: [{ code: 'X', severity: MARK }] }],
	['warning[0].severity', { warning: [{ code: 'X', severity: '' }] }],
	['warning[0].decision', { warning: [{ code: 'X', decision: 'Reject' }] }],
	['warning[0].data', { warning: [{ code: 'AML_SANCTION', data: MARK }] }],
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
