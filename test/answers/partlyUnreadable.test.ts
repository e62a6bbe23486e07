import type { IDataObject } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { JSON_TYPE } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, failureOf, jsonOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import type { NodeRun } from '../kit/engine';
import { serviceThatAnswers } from './support/service';

const { run } = actionRunner(useSandbox());

/** A text where the service could have put personal data. */
const MARK = 'Ivo-Varkov-1971';

/** The node's run on one item, when the service answers 200 with this text or JSON. */
async function answered(body: object | string, options: ActionOptions = {}): Promise<NodeRun> {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const { credential } = await serviceThatAnswers((response) =>
		response.writeHead(200, JSON_TYPE).end(text),
	);
	return await run({ ...options, credential });
}

/** A list in a list, and so on: `levels` of them. */
const nested = (levels: number) =>
	JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as IDataObject[];

const withOutput = (output: string) => ({ parameters: { output } });
const link = {
	parameters: { operation: 'createHostedLink', profile: 'kyc', customData: 'applicant-7' },
};

const hintsOf = ({ hints }: NodeRun) => hints.map(({ message }) => message);
const LEFT_OUT = expect.stringMatching(/^Some parts .* left out; 'unreadable' in the item/);

const DAMAGES: [field: string, changes: IDataObject][] = [
	['data', { data: { dob: [{ value: [MARK] }] } }],
	['data', { data: { [MARK]: MARK } }],
	['warning', { warning: [{ code: 'AML_SANCTION', data: MARK }] }],
	['profileId', { profileId: [MARK] }],
	['customData', { customData: { [MARK]: 1 } }],
];

describe('a scan result with a part that cannot be read', () => {
	it.each(DAMAGES)('is returned without all of %s, with a hint', async (field, changes) => {
		for (const output of ['simplified', 'decisionOnly']) {
			const result = await answered(fixture('scan-accept', changes), withOutput(output));

			expect(result.error).toBeUndefined();
			expect(jsonOf(result)).toEqual([
				expect.objectContaining({ decision: 'accept', unreadable: [field] }),
			]);
			expect(hintsOf(result)).toEqual([LEFT_OUT]);
			expect(JSON.stringify(result.stored)).not.toContain(MARK);
		}
	});

	it.each(['simplified', 'raw', 'decisionOnly'])(
		'is returned without what is nested too deeply, as %s',
		async (output) => {
			const { data, ...rest } = fixture('scan-accept');
			const body = { ...rest, data: nested(101), [MARK]: nested(101) };

			const result = await answered(body, withOutput(output));

			expect(result.error).toBeUndefined();
			expect(data).toBeDefined();
			// Of a field that isn't documented, the name could be anything.
			const marks = { unrecognizedDecision: true, unreadable: ['data', '*'] };
			const [item] = jsonOf(result);
			expect(item).toMatchObject(marks);
			if (output === 'raw') expect(item).toEqual({ ...rest, ...marks });
		},
	);
});

describe('an answer to a scan that says itself that it is no result', () => {
	it.each<[IDataObject]>([
		[{ success: false, error: { message: 'The profile is closed.' } }],
		[{ error: 'The profile is closed.' }],
		[{ success: false, message: 'The profile is closed.', decision: null }],
	])("shows the service's own text: %j", async (body) => {
		const answer = { ...body, transactionId: 'tx-1', data: { name: MARK } };

		const failed = await answered(answer);
		const { message, description } = failureOf(failed);

		expect(message).toBe(
			'The service answered, but not with a readable scan result: The profile is closed. The request may have been processed and charged for "document.jpg" (charge: possible) [item 0]',
		);
		expect(description).toMatch(
			/^Look transaction tx-1 up .* (success is false|error says that the request failed)\.$/,
		);
		expect(JSON.stringify([message, description, failed.stored])).not.toContain(MARK);
	});

	it.each([undefined, null, true, ['tx'], 'a"b', 'a b', 'x'.repeat(65), { a: 1 }])(
		'leaves out what cannot be a transaction ID: %j',
		async (transactionId) => {
			const { description } = failureOf(await answered({ success: false, transactionId }));

			expect(description).toMatch(/^Look the request up/);
		},
	);
});

describe('an answer that is JSON but for its beginning', () => {
	const json = JSON.stringify(fixture('scan-accept'));

	it.each([
		['two byte order marks', `\ufeff\ufeff${json}`],
		['one, after a line break', `\n\ufeff${json}\n`],
	])('is a result: %s', async (_, body) => {
		expect(jsonOf(await answered(body, withOutput('raw')))).toEqual([fixture('scan-accept')]);
	});

	it.each(['', '{', 'null', '[]', '"text"', '7', 'NaN', '[NaN]', JSON.stringify(json)])(
		'is none: %j',
		async (body) => {
			const { message, description } = failureOf(await answered(body));

			expect(message).toMatch(/not with a readable scan result\. .* processed and charged/);
			expect(description).toMatch(/^Look the request up .* the body is not a JSON object/);
		},
	);
});

describe('an answer with numbers that JSON does not have', () => {
	const json = JSON.stringify(fixture('scan-accept', { transactionId: 'tx-1' }));
	const withNaN = json.replace(/"credit":\d+/, '"credit":NaN');

	it.each(['simplified', 'raw', 'decisionOnly'])('is a result at Review, as %s', async (output) => {
		const { outputs, hints } = await answered(withNaN, {
			parameters: { output, branchOnDecision: true },
		});

		expect(withNaN).not.toBe(json);
		expect(outputs.map((items) => items.map((item) => item.json))).toMatchObject([
			[{ transactionId: 'tx-1', unrecognizedDecision: true, unreadable: ['*'] }],
			[],
			[],
		]);
		expect(hints.map(({ message }) => message)).toContainEqual(LEFT_OUT);
	});

	it('is a link, whose url is what was paid for', async () => {
		const result = await answered('{"reference":"r-1","url":"https://a.example","x":NaN}', link);

		expect(jsonOf(result)).toMatchObject([{ reference: 'r-1', unreadable: ['*'] }]);
		expect(hintsOf(result)).toEqual([LEFT_OUT]);
	});

	it('names the transaction as it was written where it is left out', async () => {
		const failed = await answered('{"success":false,"transactionId":"a:null","x":NaN}');

		expect(failureOf(failed).description).toMatch(/^Look transaction a:null up/);
	});
});

describe('an answer that cannot be parsed', () => {
	const json = JSON.stringify(fixture('scan-accept', { transactionId: 'tx-1' }));

	it.each([
		['with something after it', `${json}}`],
		['without its end', json.slice(0, -1)],
		['with text that is not quoted', json.replace('"decision":"accept"', '"decision":accept')],
	])('still tells the transaction: %s', async (_, body) => {
		const { message, description } = failureOf(await answered(body));

		expect(message).toMatch(/not with a readable scan result\. .* processed and charged/);
		expect(description).toMatch(/^Look transaction tx-1 up .* the body is not a JSON object/);
	});

	it('tells no transaction that is not whole', async () => {
		const { description } = failureOf(await answered('{"transactionId":"tx-'));

		expect(description).toMatch(/^Look the request up/);
	});

	it('still tells the link', async () => {
		const { description } = failureOf(await answered('{"reference":"r-1","url":', link));

		expect(description).toMatch(/^Look link r-1 up/);
	});
});

it('a transaction that is a large number is named with all its digits', async () => {
	const { description } = failureOf(
		await answered('{"success":false,"transactionId":8202522731445525542}'),
	);

	expect(description).toMatch(/^Look transaction 8202522731445525542 up/);
});

describe('a hosted link', () => {
	const url = 'https://hosted.example.com/h/r-1';

	it.each<[IDataObject, IDataObject]>([
		[{ reference: { a: MARK } }, { unreadable: ['reference'] }],
		[{ reference: [MARK] }, { unreadable: ['reference'] }],
		[
			{ reference: 'r', qrCode: { a: MARK } },
			{ reference: 'r', unreadable: ['qrCode'] },
		],
		[{ reference: true, qrCode: 7 }, { unreadable: ['reference', 'qrCode'] }],
		[{ [MARK]: nested(101), qrCode: nested(101) }, { unreadable: ['*', 'qrCode', 'reference'] }],
	])('is returned without what cannot be read, with a hint: %j', async (body, item) => {
		const result = await answered({ ...body, url }, link);

		expect(jsonOf(result)).toEqual([
			{ reference: null, url, customData: 'applicant-7', qrCode: null, ...item },
		]);
		expect(hintsOf(result)).toEqual([LEFT_OUT]);
		expect(JSON.stringify(result.stored)).not.toContain(MARK);
	});

	it.each<IDataObject>([{}, { url: null }, { url: '' }, { url: ' \n' }, { url: 7 }, { url: {} }])(
		'is an error that may have been charged without a url: %j',
		async (changes) => {
			const body = { reference: 'r-1', qrCode: MARK, message: MARK, ...changes };

			const { message, description } = failureOf(await answered(body, link));

			expect(message).toMatch(/not with a readable hosted link\. .* processed and charged/);
			expect(description).toMatch(
				/^Look link r-1 up .* Problems in the answer: url (is|has) [\w ]+\.$/,
			);
			expect(message + description).not.toContain(MARK);
		},
	);
});
