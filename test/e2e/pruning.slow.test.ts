import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { fetchN8n } from '../../dev/stack/fetchN8n';
import { SPECIMEN } from '../../dev/stack/paths';
import { poll } from '../../dev/stack/poll';
import { fixture } from '../kit/data/fixtures';
import { marked } from '../kit/data/personalValues';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { DELETE_AT_ONCE } from '../kit/n8n/n8nSettings';
import { useOwnN8n } from '../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { actionNode, triggerNode, webhookNode, workflowOf } from '../kit/n8n/workflow';
import { WEBHOOK_SECRET } from '../kit/settings';
import { Traces } from './support/traces';

/** In the result that arrives, and in the uploaded image. */
const PERSON = `person-${randomUUID()}`;
const MARK = `image-${randomUUID()}`;

// The last one is in minutes.
const PRUNE_AT_ONCE = {
	...DELETE_AT_ONCE,
	EXECUTIONS_DATA_PRUNE: 'true',
	EXECUTIONS_DATA_MAX_AGE: '0',
	EXECUTIONS_DATA_PRUNE_SOFT_DELETE_INTERVAL: '0.02',
};

const n8n = useOwnN8n({});
const sandboxInN8n = useSandboxInN8n(n8n, WEBHOOK_SECRET);

/** Where n8n keeps it: in its tables and its files. */
async function stored(): Promise<string[]> {
	const found = (await Traces.in(n8n.folder)).find([PERSON, MARK]);
	return found.filter((place) => / in (rows|\.n8n\/storage)/.test(place));
}

it("n8n's pruning removes old executions, with what they say of a person and their files", async () => {
	const { credentialId } = sandboxInN8n;
	const authentication = { authentication: 'webhookSecret' };
	const profile = 'sandbox-accept';
	const workflow = await LiveWorkflow.start(
		n8n.api,
		workflowOf(
			[
				triggerNode('Result', { credentialId, parameters: authentication }),
				webhookNode('Upload'),
				actionNode('Scan', { credentialId, parameters: { operation: 'scan', profile } }),
			],
			[['Upload', 'Scan']],
		),
	);
	const result = marked(fixture('webhook-accept'), PERSON);
	await workflow.send('Result', result, { query: `?secret=${WEBHOOK_SECRET}` });
	const form = new FormData();
	const image = Buffer.concat([await readFile(SPECIMEN), Buffer.from(MARK)]);
	form.set('data', new Blob([image], { type: 'image/jpeg' }), 'document.jpg');
	await fetchN8n(workflow.url('Upload'), { method: 'POST', body: form });
	await workflow.takeExecutions(2);
	expect(await stored()).toEqual(
		expect.arrayContaining([
			expect.stringMatching(`${PERSON} in rows`),
			expect.stringMatching(`${MARK} in .n8n/`),
		]),
	);

	await n8n.restart(PRUNE_AT_ONCE);

	const isPruned = async () => (await stored()).length === 0 || undefined;
	await poll(isPruned, { what: 'the executions to be pruned', timeoutMs: 240_000 });
});
