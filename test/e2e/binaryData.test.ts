import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { itemsOf } from '../../dev/stack/execution';
import { filesFolder } from '../../dev/stack/stack';
import { picture } from '../kit/data/picture';
import { readDocument } from '../kit/markdown';
import { filesOf } from '../kit/n8n/files';
import { openStack } from '../kit/n8n/stack';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { imagesBody } from '../kit/n8n/scans';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { actionNode, imageNodes, n8nNode, webhookNode, workflowOf } from '../kit/n8n/workflow';

const { api, folder } = openStack();
const sandboxInN8n = useSandboxInN8n(api, '');

/** As docs/reference.md has it. */
const DOCUMENT = "{{ $('Form').item.binary.data }}";

it('later nodes get the document of a scan as the reference says', async () => {
	expect(readDocument('docs/reference.md').text).toContain(`\`${DOCUMENT}\``);
	const { nodes, connections } = imageNodes('Start', 'Form');
	// A user may have set in the credential that HTTP Request nodes can't use it.
	const credentialId = await sandboxInN8n.saveCredential({ allowedHttpRequestDomains: 'none' });
	const parameters = { operation: 'scan', profile: 'sandbox-accept' };
	const file = join(filesFolder(folder), 'scanned-{{ $json.transactionId }}.jpg');
	const field = { id: 'field', name: 'document', type: 'binary', value: `=${DOCUMENT}` };
	const workflow = await LiveWorkflow.start(
		api,
		workflowOf(
			[
				webhookNode('Start'),
				...nodes,
				actionNode('Scan', { credentialId, parameters }),
				n8nNode('Write File', 'readWriteFile', 1, {
					operation: 'write',
					fileName: `=${file}`,
					dataPropertyName: `=${DOCUMENT}`,
				}),
				n8nNode('Edit Fields', 'set', 3.4, {
					includeOtherFields: true,
					assignments: { assignments: [field] },
				}),
			],
			[...connections, ['Form', 'Scan'], ['Scan', 'Edit Fields'], ['Scan', 'Write File']],
		),
	);
	const documents = [picture(), picture()];
	await workflow.send('Start', imagesBody(documents));

	const execution = await workflow.takeExecution();

	expect(execution.status).toBe('success');
	const { document } = filesOf(execution, 'Edit Fields');
	expect((await api.getFile(document?.id ?? '')).equals(documents[0] ?? Buffer.alloc(0))).toBe(
		true,
	);
	const written = await Promise.all(
		itemsOf(execution, 'Write File').map(async ({ fileName }) => await readFile(String(fileName))),
	);
	expect(written).toEqual(documents);
});
