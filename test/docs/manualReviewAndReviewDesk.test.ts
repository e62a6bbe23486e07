import type { IDataObject } from 'n8n-workflow';

import { evaluate } from './support/evaluate';
import { exampleWorkflows } from './support/exampleWorkflows';

// What an example in which a person decides makes of a result.

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

it('Manual review names an unknown decision, and a result without a transaction by its execution', async () => {
	const result = resultOf({ ...UNRECOGNIZED, transactionId: null });
	const fields = await fieldsOf('manual-review', 'Choose Who Reviews', result);

	expect(fields.warningCodes).toMatch(/^FAKE_ID \(also found\), the decision is not known/);
	expect(fields.transactionId).toBe('execution 1');
});
