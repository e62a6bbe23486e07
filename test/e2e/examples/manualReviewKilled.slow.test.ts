import { startOutside } from '../../../dev/stack/outside';
import type { Outside } from '../../../dev/stack/outside';
import { itemsOf } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';
import { DataTable } from './support/dataTable';
import { select } from './support/mailButton';
import { waitBefore } from './support/waitBefore';

const EXAMPLE = 'manual-review';
const SECRET = 'secret-of-the-examples';

// Of its own, because it's killed.
const n8n = useOwnN8n({});
const sandboxInN8n = useSandboxInN8n(n8n, SECRET);
let mailbox: Outside;
beforeAll(async () => (mailbox = await startOutside(0)));
afterAll(async () => await mailbox.close());

it('if n8n is killed after an answer was kept, Retry carries it out and asks nobody again', async () => {
	const { api } = n8n;
	const table = new DataTable(api, EXAMPLE);
	await table.create();
	const smtp = await api.saveCredential(mailbox.credential);
	const credentials = { smtp, identityVerificationApi: sandboxInN8n.credentialId };
	const settings = { credentials, replace: waitBefore('What Was the Answer?', 8) };
	const file = await readExample(`${EXAMPLE}/workflow.json`, settings);
	const workflow = await LiveWorkflow.start(api, file);
	const body = fixture('webhook-review', { customData: 'C-1', transactionId: 'T-1' });
	await workflow.send('Verification Completed', body, { query: `?secret=${SECRET}` });
	const [waiting] = await poll(
		async () => {
			const listed = await workflow.list();
			return listed.length > 0 ? listed : undefined;
		},
		{ what: 'the execution', ...DEADLINE },
	);
	await untilStatus(api, String(waiting?.id), 'waiting');
	const [mail] = mailbox.mails;
	if (!mail) throw new Error('Nobody was asked.');

	await select(mail, 'Approve');
	const isKept = async () => (await table.rows()).length === 1 || undefined;
	await poll(isKept, { what: 'the row', ...DEADLINE });
	await n8n.crash();
	const retried = await api.retryExecution(String(waiting?.id));

	expect(retried.status).toBe('success');
	expect(itemsOf(retried, 'Open the Account')).toMatchObject([{ customData: 'C-1' }]);
	expect(mailbox.mails).toHaveLength(1);
	expect(await table.rows()).toHaveLength(1);
});
