import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { fixture } from '../../kit/data/fixtures';
import { useBrowser } from '../../kit/n8n/browser';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { openStack } from '../../kit/n8n/stack';
import {
	failNode,
	n8nNode,
	setNode,
	triggerNode,
	waitNode,
	webhookNode,
	workflowOf,
} from '../../kit/n8n/workflow';
import { untilStatus } from '../../kit/n8n/waitingFlow';
import { Colleague } from './support/colleague';
import { DataTable } from './support/dataTable';
import type { WholeRow } from './support/dataTable';
import {
	ASK,
	ERASER,
	REQUESTS,
	SHOW,
	apiAddress,
	approved,
	executionsOn,
	requestIn,
	saveApiKey,
	textOf,
} from './support/eraser';
import { daysAgo } from './support/mornings';
import { useExample } from './support/useExample';

const SECRET = 'secret-of-the-examples';

const credentials: Record<string, string> = {};
const example = useExample(ERASER, { replace: apiAddress(openStack().api), credentials });
const { api, outside } = example;
const browser = useBrowser();

const table = (folder: string, tableName: string) => new DataTable(api, folder, { tableName });
const requests = table(ERASER, REQUESTS);
const people = table(ERASER, 'Review desk: people');
const cases = table('review-desk', 'Review desk: cases');
const caseList = table('case-list', 'Verification case list');
const report = table('weekly-report', 'Verification report');
const handled = table('skip-repeated-results', 'Handled results');
const open = table('second-chance', 'Open verifications');
const tables = [requests, people, cases, caseList, report, handled, open];

let bea: Colleague;
let cyd: Colleague;
/** Has an account in n8n, and isn't in the table of people. */
let max: Colleague;
let results: LiveWorkflow;
let webhook: LiveWorkflow;

async function join(firstName: string, role?: string): Promise<Colleague> {
	const colleague = await Colleague.join(api, browser, () => example.formUrl, firstName);
	if (role) await people.add({ userId: colleague.id, name: firstName, role });
	return colleague;
}

beforeAll(async () => {
	credentials.n8nApi = await saveApiKey(api);
	for (const one of tables) await one.create();
	await example.start();
	bea = await join('Bea', 'reviewer');
	cyd = await join('Cyd', 'reviewer');
	max = await join('Max');
	const { credentialId } = example.sandboxInN8n;
	results = await LiveWorkflow.start(api, workflowOf([triggerNode('Result', { credentialId })]));
	webhook = await LiveWorkflow.start(
		api,
		workflowOf([webhookNode('Start', { responseMode: 'onReceived' })]),
	);
});

beforeEach(async () => {
	for (const one of tables) if (one !== people) await one.create();
});

afterAll(async () => {
	for (const { id } of [bea, cyd, max]) await api.delete(`/users/${id}`);
	for (const one of tables) await one.remove();
});

/** A person whom nobody knows yet. */
const somebody = () => `A-${randomUUID().slice(0, 8)}`;

/** Lets a result arrive. Returns its execution. */
async function result(customData: string, more: IDataObject = {}): Promise<string> {
	const body = fixture('webhook-review', { customData, transactionId: randomUUID(), ...more });
	await results.send('Result', body, { query: `?secret=${SECRET}` });
	return (await results.takeExecution()).id;
}

/** Lets something arrive that anybody can send. Returns its execution. */
async function anything(body: object, query = ''): Promise<string> {
	await webhook.send('Start', body, { query });
	return (await webhook.takeExecution()).id;
}

/** Searches. Returns the page with what there is, and its address. */
const search = async (id: string) => await bea.enter(id, '');

/** Lets the schedule run. */
const runEraser = async () => await api.runWorkflow(example.workflow.file.id, 'Every Ten Minutes');

/** Has a request carried out. Returns its row when it is in this state. */
async function erase(row: WholeRow, state = 'erased'): Promise<WholeRow> {
	await requests.add(row);
	const id = String((await requests.wholeRows()).at(-1)?.id);
	await runEraser();
	return await requestIn(requests, id, state);
}

/** Whether n8n still has it. */
const exists = async (id: string) =>
	(await api.getExecution(id).catch(() => undefined)) !== undefined;

const mailTo = (address: string) =>
	outside.takeMails().filter(({ to }) => to && 'text' in to && to.text === address);

describe('finds', () => {
	it('a result by its Custom Data, exactly', async () => {
		const person = somebody();
		const mine = await result(person);
		const longer = await result(`${person}1`);
		const others = [await result(person.toLowerCase()), await result(`x${person}`.slice(1, -1))];

		const { html } = await search(person);
		expect(executionsOn(html)).toEqual([mine]);
		expect(textOf(html)).toContain(`stands within a longer text: ${longer} `);
		for (const other of others) expect(textOf(html)).not.toContain(other);
	});

	it.each([
		['a value of an address', '?customer=ID', {}],
		['a value in a list in an object', '', { list: [{ deep: ['ID'] }] }],
		['a name of a field', '', { byId: { ID: { ok: true } } }],
	])('%s', async (_, query, body) => {
		const person = somebody();
		const fill = (text: string) => text.replaceAll('ID', person);
		const mine = await anything(JSON.parse(fill(JSON.stringify(body))) as object, fill(query));

		expect(executionsOn((await search(person)).html)).toEqual([mine]);
	});

	it('what has only the transaction or the link of a result', async () => {
		const person = somebody();
		const [transactionId, hosted] = [randomUUID(), randomUUID()];
		const mine = [
			await result(person, { transactionId, hosted }),
			await anything({ lookUp: transactionId }),
			await anything({ lookUp: hosted }),
		];

		const { html } = await search(person);
		expect(executionsOn(html).sort()).toEqual(mine.sort());
		expect(textOf(html)).toContain(`IDs: ${[person, transactionId, hosted].join(', ')} `);
	});

	it('what the tables say, each row once', async () => {
		const person = somebody();
		await caseList.add({ customData: person, reference: 'link-1', state: 'accepted' });
		await caseList.add({ customData: `${person}1`, reference: 'link-2', state: 'accepted' });
		await cases.add({ customData: person, transactionId: 'transaction-1', state: 'accept' });
		for (const reference of ['link-1', 'link-2']) await report.add({ reference });
		await handled.add({ result: 'transaction-1 review' }, { result: 'transaction-11 review' });
		const mine = await anything({ lookUp: 'transaction-1' });

		const { html } = await search(person);
		expect(textOf(html)).toContain(
			'Rows: Verification case list 1, Verification report 1, Review desk: cases 1, Handled results 1 ',
		);
		expect(executionsOn(html)).toEqual([mine]);
	});

	it("no other person's, whose IDs somebody has put beside this one's", async () => {
		const [person, other] = [somebody(), somebody()];
		const transactionId = randomUUID();
		const others = await result(other, { transactionId });
		const mine = await anything({ customData: person, transactionId }, `?reference=${other}`);

		const { html } = await search(person);
		expect(executionsOn(html)).toEqual([mine]);
		expect(await exists(others)).toBe(true);
	});

	it('the execution of the error workflow, which names no person', async () => {
		const person = somebody();
		const errors = await LiveWorkflow.start(
			api,
			workflowOf([n8nNode('A Workflow Failed', 'errorTrigger', 1, {})]),
		);
		const failing = await LiveWorkflow.start(
			api,
			workflowOf(
				[webhookNode('Start', { responseMode: 'onReceived' }), failNode('Fail')],
				[['Start', 'Fail']],
				{ errorWorkflow: api.idOf(errors.file.id) },
			),
		);
		await failing.send('Start', { customer: person });
		await failing.send('Start', { customer: `${person}1` });
		const executions = await failing.takeExecutions(2);
		const reports = await errors.takeExecutions(2);
		const mine = executions.find(({ data }) => JSON.stringify(data).includes(`"${person}"`));
		const reported = reports.find(({ data }) =>
			JSON.stringify(data).includes(`"id":"${mine?.id}"`),
		);

		expect(executionsOn((await search(person)).html).sort()).toEqual(
			[mine?.id, reported?.id].sort(),
		);
	});

	it('what waits, and says that it does', async () => {
		const person = somebody();
		const waiting = await LiveWorkflow.start(
			api,
			workflowOf(
				[webhookNode('Start', { responseMode: 'onReceived' }), waitNode('Wait', 3_600)],
				[['Start', 'Wait']],
			),
		);
		await waiting.send('Start', { customer: person });
		const [{ id } = { id: '' }] = await waiting.list();
		await untilStatus(api, id, 'waiting');

		const { html } = await search(person);
		expect(executionsOn(html)).toEqual([id]);
		expect(textOf(html)).toContain('1 of them waits for a result.');
		expect(await erase(approved(person))).toMatchObject({ state: 'erased' });
		expect(await exists(id)).toBe(false);
	});

	it('names for a person what it must not decide', async () => {
		const person = somebody();
		await open.add({ customer: person.toLowerCase() });
		const { html } = await search(person);

		expect(textOf(html)).toContain('Rows: none');
		expect(textOf(html)).toContain(`in lower case: ${person.toLowerCase()}`);
		await erase(approved(person));
		expect(await open.rows()).toHaveLength(1);

		const number = String(Date.now());
		await open.add({ customer: number });
		expect(textOf((await search(number)).html)).toContain('Rows: Open verifications 1');
	});
});

it('gives a file with what is held', async () => {
	const person = somebody();
	await result(person, { transactionId: 'transaction-7' });
	await result(`${person}1`);
	await caseList.add({ customData: person, reference: 'link-1', state: 'accepted' });
	await bea.arrive('');
	await bea.page.getByLabel('ID').fill(person);
	await bea.page.getByRole('button', { name: 'Show' }).click();
	await bea.page.getByLabel('What Now?').selectOption(SHOW);
	const saved = bea.page.waitForEvent('download');
	await bea.page.getByRole('button', { name: 'Go on' }).click();
	const { default: held } = (await import(await (await saved).path())) as { default: unknown };
	expect(held).toEqual([]);
});

it('asks a second person, and erases what is found then', async () => {
	const person = somebody();
	const before = await result(person);
	const asked = await search(person);
	const page = textOf(await bea.send(asked.url, ASK));
	const [, number = ''] = /number of your request is (\d+)/.exec(page) ?? [];
	expect(mailTo('team@example.com')).toMatchObject([
		{
			subject: `Request ${number} to erase a person needs an approval`,
			text: expect.stringContaining(`?Request=${number}`),
		},
	]);
	const after = await result(person);
	const another = await result(somebody());

	expect(textOf((await bea.enter('', number)).html)).toContain('You have asked for this erasure.');
	const answering = await cyd.enter('', number);
	expect(textOf(answering.html)).toContain(`IDs: ${person}`);
	expect(textOf(answering.html)).toContain('Found: 1 executions, 0 rows');
	expect(textOf(await cyd.send(answering.url, 'Approve'))).toContain('Your answer counts');
	await runEraser();
	const row = await requestIn(requests, number, 'erased');

	expect(row).toMatchObject({ ids: '', askedBy: bea.id, approvedBy: cyd.id });
	expect([await exists(before), await exists(after), await exists(another)]).toEqual([
		false,
		false,
		true,
	]);
	const [certificate, ...more] = mailTo('archive@example.com');
	expect(more).toEqual([]);
	expect(certificate?.text).toContain(`Asked for by the account: ${bea.id}\n`);
	expect(certificate?.text).toContain('Erased: 2 executions, 0 rows\n');
	expect(JSON.stringify(row) + certificate?.text).not.toContain(person);
	expect(textOf((await cyd.enter('', number)).html)).toContain('This request is erased already.');
});

describe('refuses', () => {
	it.each(['asked', 'refused', 'erased'])('to erase what is %s', async (state) => {
		const person = somebody();
		const mine = await result(person);
		await requests.add({ ...approved(person), state });
		await erase(approved(somebody()));

		expect(await exists(mine)).toBe(true);
		expect((await requests.wholeRows())[0]).toMatchObject({ state });
	});

	it('whoever has asked, also on two pages at once', async () => {
		await requests.add({ ...approved('A-1'), state: 'asked', askedBy: bea.id });
		const id = String((await requests.wholeRows()).at(-1)?.id);
		const [first, second] = [await cyd.enter('', id), await cyd.enter('', id)];
		const answers = await Promise.all([
			cyd.send(first.url, 'Approve'),
			cyd.send(second.url, 'Refuse'),
		]);

		expect(answers.filter((html) => textOf(html).includes('Your answer counts'))).toHaveLength(1);
		expect(textOf((await bea.enter('', id)).html)).not.toContain('To approve');
	});

	it('a page of another account', async () => {
		await requests.add({ ...approved('A-1'), state: 'asked', askedBy: bea.id });
		const id = String((await requests.wholeRows()).at(-1)?.id);
		const { url } = await cyd.enter('', id);

		expect(textOf(await bea.send(url, 'Approve'))).toContain("You can't ask here");
		expect(textOf(await max.send((await cyd.enter('', id)).url, 'Approve'))).toContain(
			"You can't ask here",
		);
		expect((await requests.wholeRows())[0]).toMatchObject({
			state: 'asked',
			approvedBy: 'account-2',
		});
	});

	it('whoever is not in the table of people', async () => {
		expect(textOf((await max.enter('A-1', '')).html)).toContain(
			`ID to whoever keeps this table: ${max.id}`,
		);
	});

	it.each([
		['', '', 'Enter an ID'],
		['  ', 'x', 'Enter an ID'],
		['x'.repeat(256), '', 'Enter an ID'],
		['', '999999', 'no request with this number'],
	])('an ID %j and a request %j', async (id, request, message) => {
		expect(textOf((await bea.enter(id, request)).html)).toContain(message);
	});

	it('an open case, until it is decided', async () => {
		const person = somebody();
		const mine = await result(person);
		await cases.add({ customData: person, transactionId: randomUUID(), state: 'second' });
		const { url, html } = await search(person);
		expect(textOf(html)).toContain('is open at the review desk');
		expect(textOf(await bea.send(url, ASK))).toContain('It has to be decided first.');
		expect(await requests.rows()).toEqual([]);

		await requests.add(approved(person));
		const id = String((await requests.wholeRows())[0]?.id);
		await runEraser();
		const isAsked = () => mailTo('team@example.com');
		let mails = isAsked();
		for (let tries = 0; mails.length === 0 && tries < 100; tries += 1) {
			await new Promise((resolve) => setTimeout(resolve, 200));
			mails = isAsked();
		}
		expect(mails[0]?.subject).toBe(`Erasure ${id} has to wait`);
		expect(await exists(mine)).toBe(true);
		await cases.change('state', 'second', { state: 'accept' });
		await requests.change('state', 'approved', { nextTry: daysAgo(1) });
		await runEraser();
		await requestIn(requests, id, 'erased');
		expect(await cases.rows()).toEqual([]);
	});

	it('a key that does not see all, or is wrong', async () => {
		const person = somebody();
		const mine = await result(person);
		const member = max.client;
		for (const key of [await saveApiKey(api, member), await wrongKey()]) {
			expect(key).toBe(credentials.n8nApi);
			expect(textOf((await search(person)).html)).toContain("It couldn't be searched");
		}
		await requests.add(approved(person));
		await runEraser();
		await new Promise((resolve) => setTimeout(resolve, 3_000));
		expect((await requests.wholeRows())[0]).toMatchObject({ state: 'approved' });
		await saveApiKey(api);
		expect(await exists(mine)).toBe(true);
	});
});

async function wrongKey(): Promise<string> {
	const data = { apiKey: 'wrong', baseUrl: `${api.url}/api/v1` };
	return await api.saveCredential({ name: 'n8n account', type: 'n8nApi', data });
}

it('tries again after an hour what could not be erased, and says so', async () => {
	const person = somebody();
	const slow = await LiveWorkflow.start(
		api,
		workflowOf(
			[webhookNode('Start', { responseMode: 'onReceived' }), setNode('Set', { a: '1' })],
			[['Start', 'Set']],
		),
	);
	await slow.send('Start', { customer: person });
	await slow.takeExecution();
	expect(await erase(approved(person))).toMatchObject({ state: 'erased' });
});

describe('keeps no longer than is set', () => {
	const old = { customData: 'A-1', reference: 'link-1', state: 'accepted', since: daysAgo(31) };

	it('nothing is erased until days are set', async () => {
		await caseList.add(old);
		expect((await example.run('Every Night')).status).toBe('success');
		expect(await requests.rows()).toEqual([]);
	});
});
