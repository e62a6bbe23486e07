import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import type { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { runInEditor } from '../support/runInEditor';
import { Colleague } from './support/colleague';
import { DataTable } from './support/dataTable';
import { useKillableExample } from './support/killableExample';
import { daysAgo } from './support/mornings';
import { postFields } from './support/postForm';
import { WITHOUT_GROUPS } from './support/waitBefore';

const EXAMPLE = 'review-desk';
const example = useKillableExample(EXAMPLE);
const { n8n } = example;
let ownCases: DataTable;
let colleague: Colleague;

beforeAll(async () => {
	ownCases = new DataTable(n8n.api, EXAMPLE, { tableName: 'Review desk: cases' });
	const ownPeople = new DataTable(n8n.api, EXAMPLE, { tableName: 'Review desk: people' });
	for (const table of [ownCases, ownPeople]) await table.create();
	colleague = await Colleague.join(n8n.api, () => `${n8n.url}/form/review-desk`, 'Bea');
	await ownPeople.add({ userId: colleague.id, name: 'Bea', role: 'reviewer' });
});
beforeEach(async () => {
	example.mails.length = 0;
	await ownCases.create();
	await ownCases.add({
		customData: 'C-1',
		key: 'c-1',
		transactionId: 'T-1',
		service: 'review',
		reasons: '',
		rule: 'Version 1',
		needed: 1,
		state: 'open',
		due: daysAgo(-2),
		expires: daysAgo(-30),
	});
});

/** Publishes the example, with a pause before a step. */
const start = async (step: string) => await example.start(step, 15, WITHOUT_GROUPS);

/** Sends a result, kills n8n between its row in the table and a step, and selects *Retry*. */
async function retryAfterRow(step: string, result: IDataObject) {
	await ownCases.create();
	const workflow = await start(step);
	await example.sendResult(workflow, result);
	const id = await example.newestId(workflow);
	await example.untilSaved(id, 'Is It New?');
	await n8n.crash();
	expect(example.mails).toEqual([]);
	expect(await ownCases.wholeRows()).toMatchObject([{ carriedOutAt: null }]);

	expect((await n8n.api.getExecution(id)).status).toBe('crashed');
	return await n8n.api.retryExecution(id);
}

/** Sends a decision on the case, and kills n8n as soon as something is so. */
async function decideAndKillWhen(isSo: () => Promise<boolean>) {
	const url = await colleague.open('1');
	await postFields(url, ['Accept', 'Fine.'], colleague.login);
	await poll(async () => (await isSo()) || undefined, { what: 'the moment', ...DEADLINE });
	await n8n.crash();
}

const row = async () => (await ownCases.wholeRows())[0];

/** Selects *Retry* at the execution that was killed. Its page waits for somebody to open it. */
async function retryKilled(workflow: LiveWorkflow): Promise<void> {
	const killed = (await workflow.list()).find(({ status }) => status === 'crashed');
	await n8n.api.post(`/executions/${killed?.id}/retry`, { loadWorkflow: false }, z.unknown());
}

it('between the archive and the table, the case is open, and what is decided meanwhile counts', async () => {
	const workflow = await start('Write It Down');
	await decideAndKillWhen(() => Promise.resolve(example.mails.length > 0));
	expect(await row()).toMatchObject({ state: 'open', people: null, history: null });
	expect(example.mails[0]?.text).toContain(`Account: ${colleague.id}`);

	await colleague.send(await colleague.open('1'), 'Reject', 'Bad.');
	const decided = await row();
	expect(decided).toMatchObject({ state: 'reject', people: colleague.id });
	await retryKilled(workflow);
	expect(await row()).toEqual(decided);
});

it('after the table, the decision counts, the lead hears of it, and Retry carries it out', async () => {
	const workflow = await start('What Follows?');
	await decideAndKillWhen(async () => (await row())?.state === 'accept');
	expect(await row()).toMatchObject({ state: 'accept', carriedOutAt: null });
	expect(await colleague.read('1', '')).toContain('The case is decided');

	await ownCases.change('state', 'accept', { closedAt: daysAgo(0.1) });
	await runInEditor(n8n.api, workflow.file, 'Every Morning');
	expect(example.mails.at(-1)?.text).toContain('not carried out: 1\n');
	await retryKilled(workflow);
	expect(await row()).toMatchObject({ state: 'accept', carriedOutAt: expect.any(String) });
});

it("after the row of the service's accept, Retry opens the account", async () => {
	const { data } = await retryAfterRow('Open the Account', fixture('webhook-accept'));
	expect(data).toHaveProperty(['Open the Account']);
	expect(await ownCases.wholeRows()).toMatchObject([
		{ state: 'accept', carriedOutAt: expect.any(String) },
	]);
});

it('after the row of a case, Retry tells the team', async () => {
	await retryAfterRow('Tell the Team', fixture('webhook-review'));
	expect(await ownCases.wholeRows()).toMatchObject([{ state: 'open' }]);
	expect(example.mails.map(({ subject }) => subject)).toEqual(['Case 1 needs a decision']);
});
