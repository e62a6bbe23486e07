import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { Scenario } from '../../../dev/sandbox/scenarios';
import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { openStack } from '../../kit/n8n/stack';
import { Traces } from '../support/traces';
import { DataTable, useTable } from './support/dataTable';
import { addressesIn } from './support/html';
import { endPage } from './support/postForm';
import { useExample } from './support/useExample';

const EXAMPLE = 'age-check';
const KEEP_EXECUTIONS = {
	'"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"',
};

const YES = 'Your Steps for 18 or Older';
const NO = 'Your Steps for Younger';
const NOT_PROVEN = 'Your Steps If Not Proven';
const TEAM = 'Ask the Team';

describe('a result', () => {
	const example = useExample(EXAMPLE);
	const table = useTable(example.api, EXAMPLE);

	beforeAll(async () => await example.start(KEEP_EXECUTIONS));
	beforeEach(async () => await example.directResults());

	/** Which steps a result ends at, with what the first of the team's own steps gets. */
	async function endsAt(verification: Promise<unknown>) {
		await verification;
		const steps = example.lastSteps(await example.takeSucceeded());
		const reached = Object.entries(steps).filter(([, items]) => items.length > 0);
		return Object.fromEntries(reached);
	}

	const verify = async (scenario: Scenario, customer = '4711') =>
		await endsAt(example.verify(customer, scenario));

	/** An accepted result with changes. */
	const receive = async (changes: IDataObject) =>
		await endsAt(example.sendResult(fixture('webhook-accept', { customData: '4711', ...changes })));

	/** What becomes of a result: its row, if it has one, and the item of the steps that follow. */
	const answer = (over18: string, customerNumber = '4711') => ({
		customerNumber,
		key: customerNumber.toLowerCase(),
		over18,
		transactionId: expect.stringMatching(/^\w+$/) as string,
	});

	/** What the mails to the team say: their subject, reason and warnings. */
	const mails = () =>
		example.outside
			.takeMails()
			.map(({ subject, text = '' }) => [
				subject,
				/^Reason: (.*)$/m.exec(text)?.[1],
				/^Warnings: (.*)$/m.exec(text)?.[1],
			]);

	const SUBJECT = 'Please look at the age check of customer 4711';
	const CONTRADICTS = 'The table says yes for this customer, but this document says younger.';

	it('goes from the form through the verification into a row with the answer alone, once', async () => {
		const [url = ''] = addressesIn(await endPage(example.formUrl, '4711'));
		const sent = await example.sandbox.finishLink(url, 'eighteen');
		const [form, result] = await example.workflow.takeExecutions(2);

		expect([form?.status, result?.status]).toEqual(['success', 'success']);
		expect(await example.links()).toEqual([{ customData: '4711', billed: 2 }]);
		const ofTable = { id: expect.anything(), createdAt: expect.anything() };
		expect(result && example.lastSteps(result)).toEqual({
			[YES]: [{ ...answer('yes'), ...ofTable, updatedAt: expect.anything() }],
		});
		const rows = await table.rows();
		expect(rows).toEqual([answer('yes')]);

		await example.sandbox.resend(sent);
		await example.takeSucceeded();
		expect(await table.rows()).toEqual(rows);
		expect(mails()).toEqual([]);
	});

	it('that is no yes writes no row, and goes to the team unless it is a no', async () => {
		expect(await verify('seventeen')).toEqual({ [NO]: [answer('no')] });
		expect(await verify('expired')).toEqual({ [NOT_PROVEN]: [answer('not proven')] });
		expect(mails()).toEqual([]);

		expect(Object.keys(await verify('noAge'))).toEqual([TEAM]);
		expect(Object.keys(await verify('lowConfidence'))).toEqual([TEAM]);
		const two = ['17', '45'].map((value, index) => ({ value, confidence: 0.99, index }));
		expect(Object.keys(await receive({ data: { age: two } }))).toEqual([TEAM]);
		for (const decision of ['accept', 'reject']) {
			expect(Object.keys(await receive({ customData: '', decision }))).toEqual([TEAM]);
		}
		const unread = 'The verification was accepted, but the age could not be read.';
		const found = 'LOW_TEXT_CONFIDENCE (led to review), MISSING_EYE_COLOR (also found)';
		const nobodys = [
			'Please look at the age check of customer unknown',
			'The result has no customer number that could be read.',
			expect.any(String),
		];
		expect(mails()).toEqual([
			[SUBJECT, unread, 'none'],
			[SUBJECT, 'The service could not decide.', found],
			[SUBJECT, unread, 'parts of the result could not be read'],
			nobodys,
			nobodys,
		]);
		expect(await table.rows()).toEqual([]);
	});

	it('takes no yes away, also by Retry, and the team hears of what contradicts it', async () => {
		await table.remove();
		await example.verify('4711', 'seventeen');
		const failed = await example.workflow.takeExecution();
		expect(failed.status).toBe('error');
		await table.create();
		await verify('eighteen');
		const rows = await table.rows();

		await example.api.retryExecution(failed.id);
		const retry = await example.takeSucceeded();
		expect(example.lastSteps(retry)).toEqual({ [TEAM]: [expect.anything()] });
		expect(Object.keys(await verify('seventeen'))).toEqual([TEAM]);
		expect(Object.keys(await verify('expired')).sort()).toEqual([TEAM, NOT_PROVEN].sort());

		expect(await table.rows()).toEqual(rows);
		const rejected = 'The table says yes for this customer, but this verification was rejected.';
		expect(mails()).toEqual([
			[SUBJECT, CONTRADICTS, 'none'],
			[SUBJECT, CONTRADICTS, 'none'],
			[SUBJECT, rejected, 'DOCUMENT_EXPIRED (led to reject)'],
		]);
	});

	it('of 18 or older is the yes of exactly its customer, and contradicted in any spelling', async () => {
		await verify('eighteen', 'C-1');
		expect(Object.keys(await verify('seventeen', 'c-1'))).toEqual([TEAM]);
		expect(mails()).toEqual([
			['Please look at the age check of customer c-1', CONTRADICTS, 'none'],
		]);

		expect(Object.keys(await verify('eighteen', 'c-1'))).toEqual([YES]);
		expect(await table.rows()).toEqual([answer('yes', 'C-1'), answer('yes', 'c-1')]);
	});

	it('is not asked for, and nothing is paid, without a customer number', async () => {
		expect(await endPage(example.formUrl, 'not an ID')).toContain(
			'Please check your customer number',
		);

		expect(await example.links()).toEqual([]);
		await example.takeSucceeded();
	});
});

describe('what n8n keeps', () => {
	const SECRET = `only-for-this-run-${randomUUID()}`;
	const { api, folder } = openStack();
	const sandboxInN8n = useSandboxInN8n(api, SECRET);
	/** In place of the values of a person; nothing else in n8n is written like them. */
	const name = `name-${randomUUID()}`;
	const dateOfBirth = '1929-07-23';
	const picture = `picture-${randomUUID()}`;
	const AGE = 97;

	/** What n8n writes of an age into its database. */
	const storedAge = `"age":${AGE}`;

	/** The example, published, and what sends it a result of this person. */
	async function start() {
		const credentials = { identityVerificationApi: sandboxInN8n.credentialId };
		const file = await readExample(`${EXAMPLE}/workflow.json`, { credentials });
		// No mail is sent here.
		const nodes = file.nodes.map((node) => ({ ...node, disabled: node.name === TEAM }));
		const workflow = await LiveWorkflow.start(api, { ...file, nodes });
		const [dobYear = '', dobMonth = '', dobDay = ''] = dateOfBirth.split('-');
		const texts = { fullName: name, dob: dateOfBirth, dobYear, dobMonth, dobDay, age: `${AGE}` };
		const data = Object.fromEntries(
			Object.entries(texts).map(([field, value]) => [
				field,
				[{ value, confidence: 0.99, index: 0 }],
			]),
		);
		const outputImage = { front: picture, face: picture };
		const result = fixture('webhook-accept', { customData: 'C-4711', data, outputImage });
		const options = { query: `?secret=${SECRET}` };
		return {
			workflow,
			send: async () => await workflow.send('Verification Completed', result, options),
		};
	}

	/** Whether a value is in n8n's database, but for what SQLite hasn't overwritten yet. */
	const isInRows = async (value: string) =>
		(await Traces.in(folder)).find([value]).some((found) => found.includes(' in rows'));

	/** Where a value is that n8n must never store. */
	const leaks = async () => (await Traces.in(folder)).find([name, dateOfBirth, picture]);

	it('is the row of a success, and of a failure the age, but no date of birth and no picture', async () => {
		const table = new DataTable(api, EXAMPLE);
		await table.create();
		const { workflow, send } = await start();

		await send();
		const rowOf = async () => (await table.rows())[0];
		const row = await poll(rowOf, { what: 'the row', timeoutMs: 60_000 });
		expect(row).toMatchObject({ customerNumber: 'C-4711', over18: 'yes' });
		const isRemoved = async () => !(await isInRows(storedAge)) || undefined;
		await poll(isRemoved, { what: 'the age to be removed', timeoutMs: 120_000 });
		expect(await isInRows('C-4711')).toBe(true);
		expect(await leaks()).toEqual([]);

		await table.remove();
		await workflow.takeExecutions();
		await send();
		expect((await workflow.takeExecution()).status).toBe('error');
		expect(await isInRows(storedAge)).toBe(true);
		expect(await leaks()).toEqual([]);
	});
});
