import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { fixture } from '../../kit/data/fixtures';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { openStack } from '../../kit/n8n/stack';
import { triggerNode, waitNode, webhookNode, workflowOf } from '../../kit/n8n/workflow';
import { untilStatus } from '../../kit/n8n/waitingFlow';
import { Colleague } from './support/colleague';
import { DataTable } from './support/dataTable';
import { ERASER, choicesOn, saveApiKey, startSearch, textOf } from './support/eraser';
import { useExample } from './support/useExample';

const SECRET = 'secret-of-the-examples';
const START = 'Start';
const RESULT = 'Result';

const credentials: Record<string, string> = {};
const { api } = openStack();
const example = useExample(ERASER, { credentials });
const { outside } = example;

const table = (folder: string, tableName: string) => new DataTable(api, folder, { tableName });
const people = table(ERASER, 'Review desk: people');
const cases = table('review-desk', 'Review desk: cases');
const caseList = table('case-list', 'Verification case list');
const handled = table('skip-repeated-results', 'Handled results');
const tables = [people, cases, caseList, handled];

let search: LiveWorkflow;
let bea: Colleague;
let cyd: Colleague;
/** Each of these gets what anybody, the service, or an applicant sends. */
let webhook: LiveWorkflow;
let results: LiveWorkflow;
let rawResults: LiveWorkflow;
let waiting: LiveWorkflow;

beforeAll(async () => {
	credentials.n8nApi = await saveApiKey(api);
	search = await startSearch(api, credentials.n8nApi);
	for (const one of tables) await one.create();
	await example.start();
	bea = await join('Bea');
	cyd = await join('Cyd');
	await people.add({ userId: bea.id, name: 'Bea', role: 'reviewer' });
	const { credentialId } = example.sandboxInN8n;
	const start = webhookNode(START, { responseMode: 'onReceived' });
	const wait = waitNode('Wait', 3_600);
	const raw = triggerNode(RESULT, { credentialId, parameters: { output: 'raw' } });
	webhook = await LiveWorkflow.start(api, workflowOf([start]));
	results = await LiveWorkflow.start(api, workflowOf([triggerNode(RESULT, { credentialId })]));
	rawResults = await LiveWorkflow.start(api, workflowOf([raw]));
	waiting = await LiveWorkflow.start(
		api,
		workflowOf(
			[{ ...start, parameters: { ...start.parameters, path: randomUUID() } }, wait],
			[[START, 'Wait']],
		),
	);
});

/** Closes the pages that nobody has sent. */
afterEach(async () => {
	for (const { id, status } of await example.workflow.list()) {
		if (status === 'waiting') await api.deleteExecution(id);
	}
});

afterAll(async () => {
	for (const { id } of [bea, cyd]) await api.delete(`/users/${id}`);
	for (const one of tables) await one.remove();
});

const join = async (firstName: string) =>
	await Colleague.join(api, () => example.formUrl, firstName);

/** A person whom nobody knows yet. */
const somebody = () => `KD-${randomUUID().slice(0, 8)}`;

/** Lets a result arrive. Returns the ID of its execution. */
async function result(customData: string, more: IDataObject = {}, at = results): Promise<string> {
	const ids = { customData, transactionId: randomUUID(), hosted: randomUUID() };
	const body = fixture('webhook-accept', { ...ids, ...more });
	await at.send(RESULT, body, { query: `?secret=${SECRET}` });
	return (await at.takeExecution()).id;
}

/** Lets something arrive that anybody can send. Returns the ID of its execution. */
async function anything(body: object): Promise<string> {
	await webhook.send(START, body);
	return (await webhook.takeExecution()).id;
}

/** Whether n8n still has them. */
const exist = async (ids: string[]) =>
	await Promise.all(ids.map(async (id) => Boolean(await api.getExecution(id).catch(() => false))));

/** A date as n8n writes it, as a page shows it. */
const minute = (date: unknown) =>
	`${new Date(String(date)).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** What a page says of executions that have an ID in this field. */
async function executions(
	workflow: LiveWorkflow,
	field: string,
	...ids: string[]
): Promise<string[]> {
	const listed = await workflow.list();
	const name = workflow.file.name.replace(/[^\w-]+/g, ' ').trim();
	return ids.map((id) => {
		const startedAt = listed.find((execution) => execution.id === id)?.startedAt;
		return `Execution ${id} of ${name} (${minute(startedAt)}) has an ID in ${field}`;
	});
}

/** What a page says of the first row of a table that has an ID in this column. */
async function firstRow(of: DataTable, name: string, column: string): Promise<string> {
	const [row] = await of.wholeRows();
	return `Row ${row?.id} of ${name} (${minute(row?.createdAt)}) has an ID in ${column}`;
}

/** Sends what is chosen on a page. Returns the text of the page that follows. */
const choose = async (url: string, chosen: string[], colleague = bea) =>
	textOf(await colleague.send(url, JSON.stringify(chosen)));

const customers = async () => (await caseList.rows()).map(({ customData }) => customData);

it('erases exactly what was chosen on the page, and certifies what is left', async () => {
	const person = somebody();
	const [transactionId, hosted] = [randomUUID(), randomUUID()];
	const mine = [
		await result(person, { transactionId }),
		await result(person, { hosted }, rawResults),
		await anything({ of: [transactionId] }),
		await anything({ hosted }),
	];
	const alike = await result(` ${person.toLowerCase()}`);
	const others = [
		await result(`${person}1`, { transactionId: 'T-9' }),
		await anything({ a: `${person}.` }),
	];
	await caseList.add({ customData: person, state: 'accepted' }, { customData: `${person}1` });
	await cases.add({ customData: person, transactionId: 'T-2', state: 'accept' });
	await handled.add({ result: 'T-2 accept' }, { result: 'T-21 accept' });

	const page = await bea.enter(person);
	const { chosen, others: notChosen } = choicesOn(page.html);
	const [ofResults = '', ofRawResults = '', inAList = '', inAField = ''] = mine;
	const lines = [
		await executions(results, 'customData', ofResults),
		await executions(rawResults, 'customData', ofRawResults),
		await executions(webhook, 'one of its values', inAList),
		await executions(webhook, 'hosted', inAField),
		await firstRow(handled, 'Handled results', 'result'),
		await firstRow(cases, 'Review desk: cases', 'customData'),
		await firstRow(caseList, 'Verification case list', 'customData'),
	];
	expect(chosen).toEqual(lines.flat().sort());
	expect(notChosen).toEqual(await executions(results, 'customData', alike));
	for (const id of [person, transactionId, hosted, 'T-2']) expect(page.html).toContain(id);

	// What arrives now is not on the page, and what it says isn't learned.
	const after = [
		await result(person, { transactionId: 'accept' }),
		await result(person, { transactionId: 'T-9' }),
	];
	const ended = await choose(page.url, chosen);

	expect(ended).toContain('Chosen: 7 Erased: executions 4, rows 3');
	expect(await exist(mine)).toEqual(mine.map(() => false));
	const left = [alike, ...others, ...after];
	expect(await exist(left)).toEqual(left.map(() => true));
	expect(await customers()).toEqual([`${person}1`]);
	expect([await cases.rows(), (await handled.rows()).length]).toEqual([[], 1]);

	const [{ to, text = '' } = {}, ...more] = outside.takeMails();
	expect(more).toEqual([]);
	expect(to).toMatchObject({ text: 'archive@example.com' });
	expect(text).toContain(
		`Account: ${bea.id}\nName: Bea\n\nChosen: 7\nErased: executions 4, rows 3\n`,
	);
	const stays = await executions(results, 'customData', ...[alike, ...after].reverse());
	expect(text).toContain(`can be erased:\n${stays.join('\n')}, in another spelling\n\n`);
	for (const id of [person, transactionId, hosted, 'T-2']) expect(text).not.toContain(id);
});

it('leaves nothing of its own in n8n', async () => {
	const person = somebody();
	await result(person);
	const { url, html } = await bea.enter(person);
	await choose(url, choicesOn(html).chosen);

	expect(await example.workflow.takeExecutions()).toEqual([]);
	expect(await search.takeExecutions()).toEqual([]);
});

it('erases another spelling if it is chosen', async () => {
	const person = somebody();
	const alike = await result(person.toUpperCase().normalize('NFKD').replace('KD', 'ＫＤ'));
	const { url, html } = await bea.enter(person);
	const lines = await executions(results, 'customData', alike);
	expect(choicesOn(html)).toEqual({ chosen: [], others: lines });

	await choose(url, lines);
	expect(await exist([alike])).toEqual([false]);
});

describe('never erases', () => {
	it('what waits, an earlier page, and an open case, although somebody sends their names', async () => {
		const person = somebody();
		await waiting.send(START, { customer: person });
		const [{ id } = { id: '' }] = await waiting.list();
		await untilStatus(api, id, 'waiting');
		await cases.add({ customData: person, transactionId: 'T-3', state: 'second' });
		const [mine, others] = [await result(person), await result(somebody())];
		const isWaiting = await executions(waiting, 'one of its values', id);
		const isMine = await executions(results, 'customData', mine);
		const isOpen = await firstRow(cases, 'Review desk: cases', 'customData');
		await bea.enter(person);
		const [left] = await example.workflow.list();
		const isLeft = await executions(example.workflow, 'one of its values', String(left?.id));

		const page = await bea.enter(person);
		expect(choicesOn(page.html)).toEqual({ chosen: isMine, others: [] });
		for (const line of [...isWaiting, ...isLeft]) {
			expect(textOf(page.html)).toContain(`${line}, hasn't ended, and is never erased`);
		}
		expect(textOf(page.html)).toContain(`${isOpen}, is an open case, and is never erased`);

		const isOthers = await executions(results, 'customData', others);
		const ended = await choose(page.url, [...isWaiting, ...isLeft, ...isOthers, isOpen]);
		expect(ended).toContain('Chosen: 0 Erased: executions 0, rows 0');
		expect(ended).toContain(`can be erased: ${isMine.join()} ${isOpen}, is an open case`);
		expect(ended).toContain(`${isWaiting.join()}, hasn't ended, and is never erased`);
		expect(await exist([id, String(left?.id), mine, others])).not.toContain(false);
		expect(await cases.rows()).toHaveLength(1);
		await api.stopExecution(id);
		await cases.create();
	});

	it("other people's, whose texts are a word or a number that a result says", async () => {
		const person = somebody();
		const others = [await result(somebody()), await anything({ table: '42' })];
		const mine = [await result(person, { transactionId: 'accept' }), await result('42')];
		await cases.add({ customData: person, transactionId: '42', state: 'reject' });

		const { html } = await bea.enter(person);
		expect(choicesOn(html).chosen).toEqual([
			...(await executions(results, 'customData', String(mine[0]))),
			await firstRow(cases, 'Review desk: cases', 'customData'),
		]);
		// Entered, it counts as Custom Data.
		expect(choicesOn((await bea.enter('42')).html)).toEqual({
			chosen: await executions(results, 'customData', String(mine[1])),
			others: [],
		});
		expect(await exist(others)).toEqual([true, true]);
		await cases.create();
	});
});

describe('lets nobody erase', () => {
	it.each([undefined, '', 'boss', 'reviewers', 'Lead '])('with the role %j', async (role) => {
		await people.create();
		if (role !== undefined) await people.add({ userId: cyd.id, name: 'Cyd', role });
		await people.add({ userId: bea.id, name: 'Bea', role: 'reviewer' });

		const page = textOf((await cyd.enter(somebody())).html);
		const isRefused = page.includes(`keeps the table: ${cyd.id}`);
		expect(isRefused).toBe(role !== 'Lead ');
	});

	it("on another's page, or when the role has gone meanwhile", async () => {
		const person = somebody();
		const mine = await result(person);
		await people.add({ userId: cyd.id, name: 'Cyd', role: 'lead' });
		const [first, second] = [await bea.enter(person), await bea.enter(person)];
		const { chosen } = choicesOn(first.html);

		expect(await choose(first.url, chosen, cyd)).toContain("You can't erase here");
		await people.change('userId', bea.id, { role: 'left' });
		expect(await choose(second.url, chosen)).toContain("You can't erase here");
		await people.change('userId', bea.id, { role: 'reviewer' });
		expect(await exist([mine])).toEqual([true]);
		expect(outside.takeMails()).toEqual([]);
	});

	it.each(['', ' ', 'x'.repeat(256)])('the ID %j', async (id) => {
		expect(textOf((await bea.enter(id)).html)).toContain('Nothing was erased');
	});

	it('nothing, or no choice', async () => {
		expect(textOf((await bea.enter(somebody())).html)).toContain('There is nothing to erase');
		const person = somebody();
		await result(person);
		expect(await choose((await bea.enter(person)).url, [])).toContain('Nothing was erased');
		expect(outside.takeMails()).toEqual([]);
	});
});

describe('says so if', () => {
	/** Searches while something is wrong. */
	async function failing(person: string): Promise<string> {
		const page = textOf((await bea.enter(person)).html);
		expect(page).toContain("It couldn't be searched Nothing was erased");
		return page;
	}

	it("n8n's API refuses its key, or the key doesn't see everything", async () => {
		const data = { apiKey: 'wrong-key', baseUrl: `${api.url}/api/v1` };
		await api.saveCredential({ name: 'n8n account', type: 'n8nApi', data });
		const page = await failing(somebody());
		expect(page).not.toContain('wrong-key');
		await saveApiKey(api, bea.client);
		await failing(somebody());
		await saveApiKey(api);
	});

	it('n8n has saved an execution of one of its workflows', async () => {
		const save = { '"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"' };
		const { n8nApi = '' } = credentials;
		await startSearch(api, n8nApi, save);
		await bea.enter('');
		await failing(somebody());
		expect(await failing(somebody())).toContain('n8n saves the executions of this example');
		for (const { id } of await search.list()) await api.deleteExecution(id);
		await startSearch(api, n8nApi);
	});

	it('n8n may not delete: a second try counts only its own', async () => {
		const person = somebody();
		const mine = [await result(person), await result(person)];
		await saveApiKey(api, api, ['execution:list', 'communityPackage:list']);
		const lines = await executions(results, 'customData', ...[...mine].reverse());
		const first = await bea.enter(person);
		const ended = await choose(first.url, choicesOn(first.html).chosen);
		expect(ended).toContain('Chosen: 2 Erased: executions 0, rows 0');
		expect(ended).toContain(`can be erased: ${lines.join(' ')} `);
		await saveApiKey(api);
		await api.deleteExecution(String(mine[0]));

		const second = await bea.enter(person);
		await choose(second.url, choicesOn(second.html).chosen);
		const [, { text = '' } = {}] = outside.takeMails();
		expect(text).toContain('Chosen: 1\nErased: executions 1, rows 0\n');
		expect(text).toContain('can be erased:\nnothing\n');
	});

	it('the archive takes no mail', async () => {
		const person = somebody();
		await result(person);
		outside.refused.add('archive@example.com');
		const { url, html } = await bea.enter(person);
		const ended = await choose(url, choicesOn(html).chosen);
		expect(ended).toContain("couldn't be mailed: save this page. Chosen: 1 Erased: executions 1");
	});

	it('n8n cannot return some executions, or a table is missing', async () => {
		const person = somebody();
		const mine = await result(person);
		await webhook.send(START, `{ "deep": ${'['.repeat(5_000)}${']'.repeat(5_000)} }`);
		const [{ id } = { id: '' }] = await webhook.list();
		await untilStatus(api, id, 'success');
		const page = textOf((await bea.enter(person)).html);
		await api.deleteExecution(id);

		const [, unread = ''] = /Executions that couldn't be read: ([\d, ]+)/.exec(page) ?? [];
		expect(unread.trim().split(', ')).toEqual(expect.arrayContaining([id, mine]));
		expect(page).toMatch(/Tables that this project doesn't have: .*Verification report/);
	});
});
