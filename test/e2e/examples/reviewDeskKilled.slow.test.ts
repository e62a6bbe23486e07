import { randomUUID } from 'node:crypto';

import { startOutside } from '../../../dev/stack/outside';
import type { Outside } from '../../../dev/stack/outside';
import { poll } from '../../../dev/stack/poll';
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

/** Sends a decision on the case, and kills n8n as soon as something is so. */
async function killWhen(isSo: () => Promise<boolean>) {
	const url = await colleague.open('1');
	await postFields(url, ['Accept', 'Fine.'], colleague.login);
	await poll(async () => (await isSo()) || undefined, { what: 'the moment', ...DEADLINE });
	await n8n.crash();
}

const row = async () => (await ownCases.wholeRows())[0];

it('between the archive and the table, the case is open, and can be decided', async () => {
	await start('Write It Down');
	await killWhen(() => Promise.resolve(mailbox.mails.length > 0));
	expect(await row()).toMatchObject({ state: 'open', people: null, history: null });
	expect(mailbox.mails[0]?.text).toContain(`Account: ${colleague.id}`);

	await colleague.send(await colleague.open('1'), 'Reject', 'Bad.');
	expect(await row()).toMatchObject({ state: 'reject', people: colleague.id });
});

it('after the table, the decision counts, and the lead hears of it', async () => {
	const { file } = await start('What Follows?');
	await killWhen(async () => (await row())?.state === 'accept');
	expect(await row()).toMatchObject({ state: 'accept', carriedOutAt: null });
	expect(await colleague.read('1', '')).toContain('The case is decided');

	await ownCases.change('state', 'accept', { closedAt: daysAgo(0.1) });
	await runInEditor(n8n.api, file, 'Every Morning');
	expect(mailbox.mails.at(-1)?.text).toContain('not carried out: 1\n');
});
