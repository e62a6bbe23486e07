import { itemsOf } from '../../../dev/stack/execution';
import { fixture } from '../../kit/data/fixtures';
import { untilStatus } from '../../kit/n8n/waitingFlow';
import { DataTable } from './support/dataTable';
import { useKillableExample } from './support/killableExample';
import { select } from './support/mailButton';

const EXAMPLE = 'manual-review';
const example = useKillableExample(EXAMPLE);

it('if n8n is killed after an answer was kept, Retry carries it out and asks nobody again', async () => {
	const { n8n, mails } = example;
	const { api } = n8n;
	const table = new DataTable(api, EXAMPLE);
	await table.create();
	const workflow = await example.start('What Was the Answer?', 8);
	const ids = { customData: 'C-1', transactionId: 'T-1' };
	await example.sendResult(workflow, fixture('webhook-review', ids));
	const id = await example.newestId(workflow);
	await untilStatus(api, id, 'waiting');
	const [mail] = mails;
	if (!mail) throw new Error('Nobody was asked.');

	await select(mail, 'Approve');
	await example.untilSaved(id, 'Keep Who Decided What and When');
	await n8n.crash();
	const retried = await api.retryExecution(id);

	expect(retried.status).toBe('success');
	expect(itemsOf(retried, 'Open the Account')).toMatchObject([{ customData: 'C-1' }]);
	expect(mails).toHaveLength(1);
	expect(await table.rows()).toHaveLength(1);
});
