import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { tellingValues } from '../kit/data/personalValues';
import { activate } from '../kit/engine';
import { SEND_AGAIN, callTrigger, triggerSetup } from '../kit/engine/callTrigger';

/** An accepted result with these changes to its data. */
function resultWith(data: IDataObject): IDataObject {
	const body = fixture('webhook-accept');
	return { ...body, data: { ...(body.data as IDataObject), ...data } };
}

/** The items that a result starts the workflow with. */
async function started(documentFields: string[], body: IDataObject, output = 'decisionAndFields') {
	const parameters = { output, documentFields };
	return (await callTrigger({ body, parameters })).started?.flat();
}

const entry = (value: string, index = 0) => ({ value, confidence: 0.98, source: 'visual', index });

describe('Decision and Fields', () => {
	it('returns the age as a number, and otherwise what Decision Only does', async () => {
		const body = resultWith({ age: [entry('17')] });
		const [decisionOnly] = (await started([], body, 'decisionOnly')) ?? [];

		const items = await started(['fields.age'], body);

		expect(items).toEqual([{ ...decisionOnly, fields: { age: 17 } }]);
		const item = JSON.stringify(items);
		const personal = tellingValues(body).filter((value) => value !== '17');
		expect(personal).toContain('1989-03-07');
		expect(personal.filter((value) => item.includes(value))).toEqual([]);
	});

	it('returns a text that is no whole number as it is', async () => {
		for (const value of ['17.9', 'about 20']) {
			const items = await started(['fields.age'], resultWith({ age: [entry(value)] }));
			expect(items).toMatchObject([{ fields: { age: value } }]);
		}
	});

	it.each<[string[]]>([[[]], [['fields.dob']], [['fields.sex']]])(
		'has no age unless it was read and chosen: %j',
		async (chosen) => {
			const body = resultWith({ dob: [], sex: [entry('')], age: [entry('17')] });
			expect(await started(chosen, body)).toMatchObject([{ fields: {} }]);
			const [item] = (await started(chosen, body)) ?? [];
			expect(item?.fields).toEqual({});
		},
	);

	it('returns the age on the first of two documents, and says that another one differs', async () => {
		const body = resultWith({ age: [entry('17'), entry('45', 1)] });
		expect(await started(['fields.age'], body)).toMatchObject([
			{ fields: { age: 17 }, unreadable: ['data'] },
		]);
	});

	it.each([[['age']], [['fields.age', 'fields.Age']], [['details']]])(
		'with a field that does not exist, it is not activated, says which ones do, and starts nothing: %j',
		async (fields) => {
			const parameters = { output: 'decisionAndFields', documentFields: fields };
			await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(
				/'Fields' of the Identity Verification Trigger again: a value is not one of .*fields\.age/,
			);
			expect(await callTrigger({ parameters })).toEqual(SEND_AGAIN);
		},
	);

	it.each([[[entry('45'), entry('17')]], [[entry('17'), { value: '45' }, entry('17')]]])(
		'says that a chosen field has readings that differ: %j',
		async (age) => {
			const body = resultWith({ age, dob: [entry('1989-03-07'), entry('2009-03-07')] });
			expect(await started(['fields.age'], body)).toMatchObject([{ unreadable: ['data'] }]);
			const [other] = (await started(['fields.expiry'], body)) ?? [];
			expect(other).not.toHaveProperty('unreadable');
		},
	);

	it.each<[INodeParameters['documentFields']]>([
		['={{ $json.body.fields }}'],
		[['fields.age', '={{ $json.body.field }}']],
	])('with an expression as Fields, it is not activated and starts nothing: %j', async (fields) => {
		const parameters = { output: 'decisionAndFields', documentFields: fields };
		await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(/expressions.*fixed/);
		expect(await callTrigger({ parameters })).toEqual(SEND_AGAIN);
	});
});
