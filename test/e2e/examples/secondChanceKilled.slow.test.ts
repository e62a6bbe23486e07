import { z } from 'zod/v4';

import { untilStatus } from '../../kit/n8n/waitingFlow';
import { DataTable } from './support/dataTable';
import { useKillableExample } from './support/killableExample';
import { linkIn } from './support/mailedLink';
import { pageAfter, postForm } from './support/postForm';

const EXAMPLE = 'second-chance';
const example = useKillableExample(EXAMPLE);

it('if n8n is killed between the row and the link, Retry sends the link and waits for its result', async () => {
	const { n8n, sandbox, mails } = example;
	const { api } = n8n;
	const table = new DataTable(api, EXAMPLE);
	await table.create();
	const workflow = await example.start('Create Hosted Link', 8);
	const form = workflow.file.nodes.find(({ name }) => name === 'Applicant Form');

	const fields = ['Customer-4711', 'alex@example.com'];
	await pageAfter(await postForm(`${n8n.url}/form/${form?.webhookId}`, fields));
	const id = await example.newestId(workflow);
	await example.untilSaved(id, 'Is It This One?');
	await n8n.crash();
	const [crashed] = await workflow.list();
	expect(crashed?.status).toBe('crashed');
	expect(await sandbox.requests()).toEqual([]);

	await api.post(`/executions/${crashed?.id}/retry`, { loadWorkflow: false }, z.unknown());
	const [retry] = await workflow.list();
	await untilStatus(api, String(retry?.id), 'waiting');
	expect(mails).toHaveLength(1);
	const [mail] = mails;
	await sandbox.finishLink(mail ? linkIn(mail) : '', 'accept');

	const { data } = await untilStatus(api, String(retry?.id), 'success');
	expect(Object.keys(data)).toContain('Open the Account');
	expect(await table.rows()).toEqual([]);
});
