import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { useBrowser } from '../../kit/n8n/browser';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { openStack } from '../../kit/n8n/stack';
import {
	failNode,
	n8nNode,
	triggerNode,
	waitNode,
	webhookNode,
	workflowOf,
} from '../../kit/n8n/workflow';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';
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

const TEAM = 'team@example.com';
const ARCHIVE = 'archive@example.com';
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

/** Closes the pages that nobody has sent. */
afterEach(async () => {
	for (const { id, status } of await example.workflow.list()) {
		if (status === 'waiting') await api.deleteExecution(id);
	}
});

afterAll(async () => {
	for (const { id } of [bea, cyd, max]) await api.delete(`/users/${id}`);
	for (const one of tables) await one.remove();
});

/** A person whom nobody knows yet. */
const somebody = () => `A-${randomUUID().slice(0, 8)}`;

/** Lets a result arrive. Returns its execution. */
async function result(customData: string, more: IDataObject = {}): Promise<string> {
	const ids = { customData, transactionId: randomUUID(), hosted: randomUUID() };
	const body = fixture('webhook-review', { ...ids, ...more });
	await results.send('Result', body, { query: `?secret=${SECRET}` });
	return (await results.takeExecution()).id;
}

/** Lets something arrive that anybody can send. Returns its execution. */
async function anything(body: object, query = ''): Promise<string> {
	await webhook.send('Start', body, { query });
	return (await webhook.takeExecution()).id;
}

const inHours = (hours: number) => daysAgo(-hours / 24);

/** Searches. Returns the page with what there is, and its address. */
const search = async (id: string) => await bea.enter(id, '');

/** Lets the schedule run. */
const runEraser = async () => await api.runWorkflow(example.workflow.file.id, 'Every Ten Minutes');

/** Has a request carried out. Returns its row when that is done. */
async function erase(row: WholeRow): Promise<WholeRow> {
	await requests.add(row);
	const id = String((await requests.wholeRows()).at(-1)?.id);
	await runEraser();
	return await requestIn(requests, id, 'erased');
}

/** Whether n8n still has it. */
const exists = async (id: string) =>
	(await api.getExecution(id).catch(() => undefined)) !== undefined;

const mailTo = (address: string) =>
	outside.takeMails().filter(({ to }) => to && 'text' in to && to.text === address);

/** The next mail to the team. */
async function mailToTeam() {
	const isThere = async () => await Promise.resolve(mailTo(TEAM)[0]);
	return await poll(isThere, { what: 'a mail to the team', ...DEADLINE });
}

describe('finds', () => {
	it('a result by its Custom Data, exactly', async () => {
		const person = somebody();
		const mine = await result(person);
		const longer = await result(`${person}1`);
		await result(person.toLowerCase());
		await result(person.slice(0, -1));

		const { html } = await search(person);
		expect(executionsOn(html)).toEqual([mine]);
		expect(textOf(html)).toContain(`a part of a longer text: ${longer} -`);
	});

	it.each([
		['a value of an address', '?customer=ID', {}],
		['a value in a list in an object', '', { list: [{ deep: ['ID'] }] }],
	])('%s', async (_, query, body) => {
		const person = somebody();
		const fill = (text: string) => text.replaceAll('ID', person);
		const mine = await anything(JSON.parse(fill(JSON.stringify(body))) as object, fill(query));

		expect(executionsOn((await search(person)).html)).toEqual([mine]);
	});

	it.each([
		['a number', { customer: 0 }],
		['the name of a field', { byId: { NUMBER: { ok: true } } }],
		['a text in a text', { body: '{"customer":"NUMBER"}' }],
	])('but only names, what has it as %s', async (_, body) => {
		const number = String(Date.now());
		const text = JSON.stringify(body).replaceAll('NUMBER', number);
		const mine = await anything(JSON.parse(text.replace(':0', `:${number}`)) as object);
		await erase(approved(number));

		const [certificate] = mailTo(ARCHIVE);
		expect(certificate?.text).toContain(`a part of a longer text: ${mine}\n`);
		expect(await exists(mine)).toBe(true);
	});

	// n8n stores texts in a list, and their indexes there as texts.
	it.each(['main', 'json', 'success', '937', 'Start', '__proto__'])(
		"nothing that is only n8n's own: %s",
		async (word) => {
			await anything({ list: Array.from({ length: 1_000 }, (_, index) => `text-${index}`) });
			expect(executionsOn((await search(word)).html)).toEqual([]);
		},
	);

	it('nobody, but says so, among executions that n8n cannot return', async () => {
		const person = somebody();
		const mine = await result(person);
		const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
		await webhook.send('Start', `{ "deep": ${deep} }`);
		const arrived = async () => (await webhook.list()).at(0)?.status === 'success' || undefined;
		await poll(arrived, { what: 'the webhook to be handled', ...DEADLINE });
		const page = textOf((await search(person)).html);
		for (const { id } of await webhook.list()) await api.deleteExecution(id);

		const [, unread = ''] = /Executions that couldn't be read: ([\d, ]+) -/.exec(page) ?? [];
		expect(unread.split(', ')).toContain(mine);
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
		const [, rows = ''] = /Rows: (.*) For a person to look at/.exec(textOf(html)) ?? [];
		expect(rows.split(', ').sort()).toEqual([
			'Handled results 1',
			'Review desk: cases 1',
			'Verification case list 1',
			'Verification report 1',
		]);
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

const heldSchema = z.array(
	z.object({
		table: z.string().optional(),
		row: z.record(z.string(), z.unknown()).optional(),
		execution: z.string().optional(),
		node: z.string().optional(),
		json: z.record(z.string(), z.unknown()).optional(),
	}),
);

it('gives a file with what is held', async () => {
	const person = somebody();
	const mine = await result(person, { transactionId: 'transaction-7' });
	await result(`${person}1`);
	await caseList.add({ customData: person, reference: 'link-1', state: 'accepted' });
	await bea.arrive('');
	await bea.page.getByLabel('ID').fill(person);
	await bea.page.getByRole('button', { name: 'Show' }).click();
	await bea.page.getByLabel('What Now?').selectOption(SHOW);
	const saved = bea.page.waitForEvent('download');
	await bea.page.getByRole('button', { name: 'Go on' }).click();
	const held = heldSchema.parse(JSON.parse(await readFile(await (await saved).path(), 'utf8')));

	expect(held.map(({ table, node }) => table ?? node)).toEqual([
		'Verification case list',
		'Result',
	]);
	expect(held[0]?.row).toMatchObject({ customData: person, reference: 'link-1' });
	expect(held[1]).toMatchObject({
		execution: mine,
		json: { customData: person, transactionId: 'transaction-7', decision: 'review' },
	});
	expect(JSON.stringify(held)).not.toContain(`${person}1`);
});

it('asks a second person, and erases what is found then', async () => {
	const person = somebody();
	const before = await result(person);
	const asked = await search(person);
	const page = textOf(await bea.send(asked.url, ASK));
	const [, number = ''] = /number of your request is (\d+)/.exec(page) ?? [];
	expect(mailTo(TEAM)).toMatchObject([
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
	expect(textOf(answering.html)).toContain(
		'Found: executions: 1; rows: none; other transactions and links in these executions: 0',
	);
	expect(textOf(await cyd.send(answering.url, 'Approve'))).toContain('Your answer counts');
	await runEraser();
	const row = await requestIn(requests, number, 'erased');

	expect(row).toMatchObject({ ids: '', askedBy: bea.id, approvedBy: cyd.id });
	expect([await exists(before), await exists(after), await exists(another)]).toEqual([
		false,
		false,
		true,
	]);
	const [certificate, ...more] = mailTo(ARCHIVE);
	expect(more).toEqual([]);
	expect(certificate?.text).toContain(`Asked for by the account: ${bea.id}\n`);
	expect(certificate?.text).toContain('Found and erased: executions: 2; rows: none; other');
	expect(JSON.stringify(row) + certificate?.text).not.toContain(person);
	expect(textOf((await cyd.enter('', number)).html)).toContain('This request is erased already.');
});

describe('refuses', () => {
	it.each(['asked', 'refused', 'erased', 'on hold', ''])('to erase what is %j', async (state) => {
		const person = somebody();
		const mine = await result(person);
		await requests.add({ ...approved(person), state });
		await erase(approved(somebody()));

		expect(await exists(mine)).toBe(true);
		expect((await requests.wholeRows())[0]).toMatchObject({ state });
	});

	it('what nobody has approved', async () => {
		const person = somebody();
		const mine = await result(person);
		await requests.add({ ...approved(person), approvedBy: '' });
		await erase(approved(somebody()));

		expect(await exists(mine)).toBe(true);
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
		const waits = async () => {
			const [row] = await requests.wholeRows();
			return String(row?.nextTry) > inHours(20) || undefined;
		};
		await poll(waits, { what: 'the erasure to wait', ...DEADLINE });
		expect(mailTo(TEAM)[0]?.subject).toBe(`Erasure ${id} has to wait`);
		expect(await exists(mine)).toBe(true);

		await cases.change('state', 'second', { state: 'accept' });
		await requests.change('state', 'approved', { nextTry: daysAgo(1) });
		await runEraser();
		await requestIn(requests, id, 'erased');
		expect(await cases.rows()).toEqual([]);
		expect(await exists(mine)).toBe(false);
	});

	it.each<[string, () => Promise<string>]>([
		['of a member, who does not see all workflows', async () => await saveApiKey(api, max.client)],
		['that is wrong', async () => await wrongKey()],
	])('a key %s', async (_, change) => {
		const person = somebody();
		const mine = await result(person);
		expect(await change()).toBe(credentials.n8nApi);
		try {
			const page = textOf((await search(person)).html);
			expect(page).toContain("It couldn't be searched");
			expect(page).not.toContain('wrong-key');
			await requests.add(approved(person));
			await runEraser();
			const mail = await mailToTeam();
			expect(mail.subject).toMatch(/^Erasure \d+ couldn't be carried out$/);
		} finally {
			await saveApiKey(api);
		}
		expect((await requests.wholeRows())[0]).toMatchObject({ state: 'approved' });
		expect(await exists(mine)).toBe(true);
	});
});

async function wrongKey(): Promise<string> {
	const data = { apiKey: 'wrong-key', baseUrl: `${api.url}/api/v1` };
	return await api.saveCredential({ name: 'n8n account', type: 'n8nApi', data });
}

it('says what is left, and tries again after an hour', async () => {
	const person = somebody();
	const mine = await result(person);
	await saveApiKey(api, api, ['execution:list', 'communityPackage:list']);
	try {
		await requests.add(approved(person));
		const [{ id } = { id: 0 }] = await requests.wholeRows();
		await runEraser();
		const mail = await mailToTeam();
		expect(mail.subject).toBe(`Erasure ${id} isn't finished`);
		expect(mail.text).toContain(`Executions: ${mine}\nRows: none\n`);
	} finally {
		await saveApiKey(api);
	}
	expect(mailTo(ARCHIVE)).toEqual([]);
	const [{ id, nextTry } = {}] = await requests.wholeRows();
	expect([String(nextTry) > inHours(0.9), String(nextTry) < inHours(1.1)]).toEqual([true, true]);
	await requests.change('state', 'approved', { nextTry: daysAgo(1) });
	await runEraser();
	await requestIn(requests, String(id), 'erased');
	expect(await exists(mine)).toBe(false);
});

describe('keeps no longer than is set', () => {
	const old = { customData: 'A-1', state: 'accepted', since: daysAgo(31) };
	const rows = [
		old,
		{ ...old, customData: 'A-2', since: daysAgo(29) },
		{ ...old, customData: 'A-3', state: 'rejected' },
		{ ...old, customData: 'A-4', state: 'in review' },
	];

	/** Lets the night pass. Returns who is still in the table. */
	async function night(): Promise<unknown[]> {
		await caseList.add(...rows);
		await cases.add({ customData: 'A-1', state: 'accept', closedAt: daysAgo(31) });
		const executionId = await api.runWorkflow(example.workflow.file.id, 'Every Night');
		// n8n removes it when it has succeeded.
		const hasEnded = async () =>
			(await example.workflow.list()).every(({ id }) => id !== executionId) || undefined;
		await poll(hasEnded, { what: 'the night to pass', ...DEADLINE });
		expect(await cases.rows()).toHaveLength(1);
		return (await caseList.rows()).map(({ customData }) => customData);
	}

	it('deletes nothing until days are set', async () => {
		expect(await night()).toEqual(['A-1', 'A-2', 'A-3', 'A-4']);
	});

	it('deletes the rows that are older than their state allows', async () => {
		await example.start({
			"value: 'accepted', since: 'since', days: 0": "value: 'accepted', since: 'since', days: 30",
		});
		expect(await night()).toEqual(['A-2', 'A-3', 'A-4']);
		await example.start();
	});
});

it('does not search if n8n saves what it finds', async () => {
	await example.start({
		'"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"',
	});
	await search(somebody());
	const page = textOf((await search(somebody())).html);
	for (const { id } of await example.workflow.list()) await api.deleteExecution(id);
	await example.start();

	expect(page).toContain("It couldn't be searched");
	expect(page).toContain('n8n saves the executions of this workflow');
});

it('names a table that the project does not have', async () => {
	await handled.remove();
	expect(textOf((await search(somebody())).html)).toMatch(
		/Tables that this project doesn't have: .*Handled results/,
	);
});
