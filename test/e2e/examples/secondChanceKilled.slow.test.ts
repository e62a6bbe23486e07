import { z } from 'zod/v4';

import { startOutside } from '../../../dev/stack/outside';
import type { Outside } from '../../../dev/stack/outside';
import { poll } from '../../../dev/stack/poll';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useOwnN8n } from '../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';
import { DataTable } from './support/dataTable';
import { linkIn } from './support/mailedLink';
import { pageAfter, postForm } from './support/postForm';
import { PROFILE } from './support/useExample';
import { waitBefore } from './support/waitBefore';

const EXAMPLE = 'second-chance';
const SECRET = 'secret-of-the-examples';

// Of its own, because it's killed.
const n8n = useOwnN8n({});
const sandboxInN8n = useSandboxInN8n(n8n, SECRET);
let mailbox: Outside;
beforeAll(async () => (mailbox = await startOutside(0)));
afterAll(async () => await mailbox.close());

it('if n8n is killed between the row and the link, Retry sends the link and waits for its result', async () => {
	const { api } = n8n;
	const { sandbox, credentialId } = sandboxInN8n;
	const table = new DataTable(api, EXAMPLE);
	await table.create();
	const smtp = await api.saveCredential(mailbox.credential);
	const credentials = { smtp, identityVerificationApi: credentialId };
	const settings = { credentials, replace: waitBefore('Create Hosted Link', 8) };
	const file = await readExample(`${EXAMPLE}/workflow.json`, settings);
	const workflow = await LiveWorkflow.start(api, file);
	const webhookUrl = `${workflow.url('Verification Completed')}?secret=${SECRET}`;
	await sandbox.setProfile(PROFILE, { webhookUrl });
	const form = file.nodes.find(({ name }) => name === 'Applicant Form');

	const fields = ['Customer-4711', 'alex@example.com'];
	await pageAfter(await postForm(`${n8n.url}/form/${form?.webhookId}`, fields));
	const isThere = async () => (await table.rows()).length === 1 || undefined;
	await poll(isThere, { what: 'the row', ...DEADLINE });
	await n8n.crash();
	const [crashed] = await workflow.list();
	expect(crashed?.status).toBe('crashed');
	expect(await sandbox.requests()).toEqual([]);

	await api.post(`/executions/${crashed?.id}/retry`, { loadWorkflow: false }, z.unknown());
	const [retry] = await workflow.list();
	await untilStatus(api, String(retry?.id), 'waiting');
	expect(mailbox.mails).toHaveLength(1);
	const [mail] = mailbox.mails;
	await sandbox.finishLink(mail ? linkIn(mail) : '', 'accept');

	const { data } = await untilStatus(api, String(retry?.id), 'success');
	expect(Object.keys(data)).toContain('Open the Account');
	expect(await table.rows()).toEqual([]);
});
