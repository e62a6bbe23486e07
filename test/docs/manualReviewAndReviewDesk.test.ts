import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { evaluate } from './support/evaluate';
import { exampleWorkflows } from './support/exampleWorkflows';

// What the two examples in which a person decides make of a result.

const nodeOf = (example: string, name: string) => {
	const workflow = exampleWorkflows.find(({ file }) => file === `${example}/workflow.json`);
	const node = workflow?.nodes.find((node) => node.name === name);
	if (!node) throw new Error(`${example} has no ${name}.`);
	return node;
};

/** What an Edit Fields node makes of an item. */
async function fieldsOf(example: string, name: string, json: IDataObject): Promise<IDataObject> {
	const { assignments } = nodeOf(example, name).parameters.assignments as {
		assignments: { name: string; value: unknown }[];
	};
	const fields: Record<string, unknown> = {};
	for (const { name, value } of assignments) {
		const isExpression = String(value).startsWith('=');
		fields[name] = isExpression ? await evaluate(String(value), { json }) : value;
	}
	return fields as IDataObject;
}

/** A result as the trigger returns it. */
function resultOf({ severity = 'medium', ...more }: IDataObject): IDataObject {
	const warnings = [{ code: 'FAKE_ID', severity, decision: 'review' }];
	const usual = { decision: 'review', customData: ' A-1', reference: 'R-1', transactionId: 'T-1' };
	return { ...usual, warnings, details: { warningCodes: ['FAKE_ID'] }, ...more };
}

const UNRECOGNIZED = { decision: null, unrecognizedDecision: true };
/** As what the desk stores it. The execution is that of `evaluate`. */
const UNKNOWN = 'not recognized (execution 1)';

describe('Review desk', () => {
	it.each([
		['a review', {}, 'review', 1, /^FAKE_ID \(led to review\)$/],
		['a warning of high severity', { severity: 'high' }, 'review', 2, /FAKE_ID/],
		['what could not be read', { unreadable: ['warning'] }, 'review', 2, /could not be read/],
		['a reject', { decision: 'reject' }, 'reject', 2, /FAKE_ID/],
		['an unknown decision or a failed accept', UNRECOGNIZED, UNKNOWN, 2, /is not known/],
	])(
		'names %s, and says how many people have to decide',
		async (_, more, service, needed, reasons) => {
			const fields = await fieldsOf('review-desk', "The Team's Rule", resultOf(more));

			expect(fields).toMatchObject({ service, needed });
			expect(fields.reasons).toMatch(reasons);
		},
	);

	it('knows a customer by Custom Data or the reference, and what has no transaction by its execution', async () => {
		const known = await fieldsOf('review-desk', "The Team's Rule", resultOf({}));
		expect(known).toMatchObject({ customData: ' A-1', key: 'a-1', transactionId: 'T-1' });

		const unknown = resultOf({ customData: null, transactionId: null });
		const fields = await fieldsOf('review-desk', "The Team's Rule", unknown);
		expect(fields).toMatchObject({ key: 'r-1', transactionId: 'execution 1' });
	});

	it.each([
		['an accept', 'accept', { state: 'accept', needed: 0, closedAt: expect.anything() }],
		['a review', 'review', { state: 'open', needed: 1, closedAt: null }],
		['a reject', 'reject', { state: 'open', needed: 1, closedAt: null }],
		['an unknown decision', UNKNOWN, { state: 'open', needed: 1, closedAt: null }],
	])('makes a decided case of an accept alone: %s', async (_, service, expected) => {
		const { columns } = nodeOf('review-desk', 'Open a Case').parameters;
		const { value } = z.object({ value: z.record(z.string(), z.string()) }).parse(columns);
		const json = { needed: 1, service };

		for (const [column, content] of Object.entries(expected)) {
			expect(await evaluate(String(value[column]), { json })).toEqual(content);
		}
	});
});

it('Manual review names an unknown decision, and a result without a transaction by its execution', async () => {
	const result = resultOf({ ...UNRECOGNIZED, transactionId: null });
	const fields = await fieldsOf('manual-review', 'Choose Who Reviews', result);

	expect(fields.warningCodes).toMatch(/^FAKE_ID \(also found\), the decision is not known/);
	expect(fields.transactionId).toBe('execution 1');
});
