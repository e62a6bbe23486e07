import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { startOutside } from '../../../dev/stack/outside';
import type { Outside } from '../../../dev/stack/outside';
import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { runInEditor } from '../support/runInEditor';
import { Colleague } from './support/colleague';
import { DataTable } from './support/dataTable';
import { daysAgo } from './support/mornings';
import { postFields } from './support/postForm';
import { WITHOUT_GROUPS, waitBefore } from './support/waitBefore';

const EXAMPLE = 'review-desk';
const SECRET = `secret-of-the-desk-${randomUUID()}`;
const n8n = useOwnN8n({});
const sandboxInN8n = useSandboxInN8n(n8n, SECRET);
let mailbox: Outside;
let ownCases: DataTable;
let colleague: Colleague;

beforeAll(async () => {
	mailbox = await startOutside(0);
	ownCases = new DataTable(n8n.api, EXAMPLE, { tableName: 'Review desk: cases' });
	const ownPeople = new DataTable(n8n.api, EXAMPLE, { tableName: 'Review desk: people' });
	for (const table of [ownCases, ownPeople]) await table.create();
	colleague = await Colleague.join(n8n.api, () => `${n8n.url}/form/review-desk`, 'Bea');
	await ownPeople.add({ userId: colleague.id, name: 'Bea', role: 'reviewer' });
});
beforeEach(async () => {
	mailbox.mails.length = 0;
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
afterAll(async () => await mailbox.close());

/** Publishes the example, with a pause before a step. */
async function start(step: string) {
	const smtp = await n8n.api.saveCredential(mailbox.credential);
	const credentials = { smtp, identityVerificationApi: sandboxInN8n.credentialId };
	const settings = { credentials, replace: { ...waitBefore(step, 15), ...WITHOUT_GROUPS } };
	return await LiveWorkflow.start(n8n.api, await readExample(`${EXAMPLE}/workflow.json`, settings));
}

/** Waits until something is so, and kills n8n. */
async function killWhen(isSo: () => Promise<boolean>) {
	await poll(async () => (await isSo()) || undefined, { what: 'the moment', ...DEADLINE });
	await n8n.crash();
}

/** Sends a result, kills n8n between its row in the table and a step, and selects *Retry*. */
async function retryAfterRow(step: string, result: IDataObject) {
	await ownCases.create();
	const workflow = await start(step);
	await workflow.send('Verification Completed', result, { query: `?secret=${SECRET}` });
	const newest = async () => String((await workflow.list())[0]?.id);
	await killWhen(async () => 'Is It New?' in (await n8n.api.getExecution(await newest())).data);
	expect(mailbox.mails).toEqual([]);
	expect(await ownCases.wholeRows()).toMatchObject([{ carriedOutAt: null }]);

	const id = await newest();
	expect((await n8n.api.getExecution(id)).status).toBe('crashed');
	return await n8n.api.retryExecution(id);
}

/** Sends a decision on the case, and kills n8n as soon as something is so. */
async function decideAndKillWhen(isSo: () => Promise<boolean>) {
	const url = await colleague.open('1');
	await postFields(url, ['Accept', 'Fine.'], colleague.login);
	await killWhen(isSo);
}

const row = async () => (await ownCases.wholeRows())[0];

/** Selects *Retry* at the execution that was killed. Its page waits for somebody to open it. */
async function retryKilled(workflow: LiveWorkflow): Promise<void> {
	const killed = (await workflow.list()).find(({ status }) => status === 'crashed');
	await n8n.api.post(`/executions/${killed?.id}/retry`, { loadWorkflow: false }, z.unknown());
}

it('between the archive and the table, the case is open, and what is decided meanwhile counts', async () => {
	const workflow = await start('Write It Down');
	await decideAndKillWhen(() => Promise.resolve(mailbox.mails.length > 0));
	expect(await row()).toMatchObject({ state: 'open', people: null, history: null });
	expect(mailbox.mails[0]?.text).toContain(`Account: ${colleague.id}`);

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
	expect(mailbox.mails.at(-1)?.text).toContain('not carried out: 1\n');
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
	expect(mailbox.mails.map(({ subject }) => subject)).toEqual(['Case 1 needs a decision']);
});
