import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { Scenario } from '../../../dev/sandbox/scenarios';
import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { useBrowser } from '../../kit/n8n/browser';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { openStack } from '../../kit/n8n/stack';
import { Traces } from '../support/traces';
import { DataTable, useTable } from './support/dataTable';
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
	const browser = useBrowser();

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

	/** An accepted result with this age, or other changes. */
	const resultWith = (age: string, changes: IDataObject = {}) => {
		const data = { age: [{ value: age, confidence: 0.99, index: 0 }] };
		return fixture('webhook-accept', { customData: '4711', data, ...changes });
	};

	const receive = async (age: string, changes?: IDataObject) =>
		await endsAt(example.sendResult(resultWith(age, changes)));

	/** The row of a customer. */
	const row = (over18: string, customerNumber = '4711') => ({
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

	it('goes from the form through the verification into a row with the answer alone', async () => {
		const { page } = browser;
		await page.goto(example.formUrl);
		await page.getByLabel('Customer Number').fill('4711');
		await page.getByRole('button', { name: 'Start' }).click();
		await page.getByRole('heading', { name: 'ID and Face Verification' }).waitFor();
		await page.getByRole('button', { name: 'Accept: 18 years old' }).click();
		await page.getByRole('heading', { name: 'Verification finished' }).waitFor();
		const [form, result] = await example.workflow.takeExecutions(2);

		expect([form?.status, result?.status]).toEqual(['success', 'success']);
		expect(await example.links()).toEqual([{ customData: '4711', billed: 2 }]);
		expect(await table.rows()).toEqual([row('yes')]);
		expect(mails()).toEqual([]);
	});

	it.each<[Scenario, string, string, number]>([
		['eighteen', YES, 'yes', 1],
		['seventeen', NO, 'no', 0],
	])('of %s continues at %s, with no age', async (scenario, step, over18, kept) => {
		const reached = await verify(scenario);

		expect(await table.rows()).toEqual([row(over18)].slice(0, kept));
		expect(reached).toEqual({ [step]: [expect.objectContaining(row(over18))] });
		const [item = {}] = (reached[step] ?? []) as object[];
		const OF_TABLE = ['id', 'createdAt', 'updatedAt'];
		expect(
			Object.keys(item)
				.filter((key) => !OF_TABLE.includes(key))
				.sort(),
		).toEqual(['customerNumber', 'key', 'over18', 'transactionId']);
		expect(mails()).toEqual([]);
	});

	it.each<[Scenario, string, string]>([
		['noAge', 'The verification was accepted, but the age could not be read.', 'none'],
		[
			'lowConfidence',
			'The service could not decide.',
			'LOW_TEXT_CONFIDENCE (led to review), MISSING_EYE_COLOR (also found)',
		],
	])('of %s goes to the team, and into no row', async (scenario, reason, warnings) => {
		expect(Object.keys(await verify(scenario))).toEqual([TEAM]);

		expect(await table.rows()).toEqual([]);
		expect(mails()).toEqual([[SUBJECT, reason, warnings]]);
	});

	it('that is a reject is no answer, and writes no row', async () => {
		expect(await verify('expired')).toEqual({ [NOT_PROVEN]: [row('not proven')] });

		expect(await table.rows()).toEqual([]);
		expect(mails()).toEqual([]);
	});

	it.each(['', '17.9', '-1', '130', '999', ' 18', '１８', 'eighteen'])(
		'whose age is "%s" is no answer',
		async (age) => {
			expect(Object.keys(await receive(age))).toEqual([TEAM]);
			expect(await table.rows()).toEqual([]);
		},
	);

	it.each(['accept', 'reject'])('without a customer goes to the team: %s', async (decision) => {
		expect(Object.keys(await receive('45', { customData: '', decision }))).toEqual([TEAM]);

		expect(await table.rows()).toEqual([]);
		expect(mails()).toEqual([
			[
				'Please look at the age check of customer unknown',
				'The result has no customer number that could be read.',
				expect.any(String),
			],
		]);
	});

	it('with parts that cannot be read is no answer', async () => {
		const two = ['17', '45'].map((value, index) => ({ value, confidence: 0.99, index }));
		expect(Object.keys(await receive('45', { data: { age: two } }))).toEqual([TEAM]);

		expect(await table.rows()).toEqual([]);
	});

	it('that is sent again changes nothing', async () => {
		const sent = await example.verify('4711', 'eighteen');
		await example.takeSucceeded();
		const rows = await table.rows();

		await example.sandbox.resend(sent);
		await example.takeSucceeded();

		expect(rows).toHaveLength(1);
		expect(await table.rows()).toEqual(rows);
		expect(mails()).toEqual([]);
	});

	it.each<[Scenario, string[], (string | undefined)[][]]>([
		['seventeen', [TEAM], [[SUBJECT, CONTRADICTS, 'none']]],
		[
			'expired',
			[TEAM, NOT_PROVEN],
			[
				[
					SUBJECT,
					'The table says yes for this customer, but this verification was rejected.',
					'DOCUMENT_EXPIRED (led to reject)',
				],
			],
		],
	])('of %s takes no yes away, and the team hears of it', async (scenario, steps, told) => {
		await verify('eighteen');
		const rows = await table.rows();

		expect(Object.keys(await verify(scenario)).sort()).toEqual([...steps].sort());

		expect(await table.rows()).toEqual(rows);
		expect(mails()).toEqual(told);
	});

	it('of 18 or older is the yes of exactly its customer, and contradicted in any spelling', async () => {
		await verify('eighteen', 'C-1');
		expect(Object.keys(await verify('seventeen', 'c-1'))).toEqual([TEAM]);
		expect(mails()).toEqual([
			['Please look at the age check of customer c-1', CONTRADICTS, 'none'],
		]);

		expect(Object.keys(await verify('eighteen', 'c-1'))).toEqual([YES]);
		expect(await table.rows()).toEqual([row('yes', 'C-1'), row('yes', 'c-1')]);
	});

	it('of 17 takes no yes away that arrived before its Retry', async () => {
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
		expect(await table.rows()).toEqual(rows);
		expect(mails()).toEqual([[SUBJECT, CONTRADICTS, 'none']]);
	});

	it('of 17 takes no yes away that arrives at the same time', async () => {
		const customers = Array.from({ length: 15 }, (_, index) => `C-${index}`);
		await Promise.all(
			customers.flatMap((customerNumber) => [
				example.sendResult(resultWith('17', { customData: customerNumber })),
				example.sendResult(resultWith('45', { customData: customerNumber })),
			]),
		);
		await example.workflow.takeExecutions(2 * customers.length);

		const rows = await table.rows();
		expect(rows.map(({ over18 }) => over18)).toEqual(customers.map(() => 'yes'));
		expect(rows.map(({ customerNumber }) => customerNumber).sort()).toEqual(customers.sort());
		example.outside.takeMails();
	});

	it('of 18 or older is kept after one of 17, and touches no other customer', async () => {
		await verify('eighteen', '4712');
		await verify('seventeen');
		await verify('eighteen');

		expect(await table.rows()).toEqual([row('yes', '4712'), row('yes')]);
	});

	it('is not asked for, and nothing is paid, without a customer number', async () => {
		const { page } = browser;
		await page.goto(example.formUrl);
		await page.getByLabel('Customer Number').fill('not an ID');
		await page.getByRole('button', { name: 'Start' }).click();
		await page.getByText('Please check your customer number').waitFor();

		expect(await example.links()).toEqual([]);
		await page.waitForLoadState('networkidle');
		await example.workflow.takeExecution();
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

	it('of a success is the row, without the age, the date of birth and a picture', async () => {
		const table = new DataTable(api, EXAMPLE);
		await table.create();
		const { send } = await start();

		await send();

		const rowOf = async () => (await table.rows())[0];
		const row = await poll(rowOf, { what: 'the row', timeoutMs: 60_000 });
		expect(row).toMatchObject({ customerNumber: 'C-4711', over18: 'yes' });
		const isRemoved = async () => !(await isInRows(storedAge)) || undefined;
		await poll(isRemoved, { what: 'the age to be removed', timeoutMs: 120_000 });
		expect(await isInRows('C-4711')).toBe(true);
		expect(await leaks()).toEqual([]);
	});

	it('of a failure is the age, but no date of birth and no picture', async () => {
		await new DataTable(api, EXAMPLE).remove();
		const { workflow, send } = await start();
		await workflow.takeExecutions();

		await send();

		expect((await workflow.takeExecution()).status).toBe('error');
		expect(await isInRows(storedAge)).toBe(true);
		expect(await leaks()).toEqual([]);
	});
});
