import { itemsOf } from '../../dev/stack/execution';
import { listenToEnd } from '../kit/service/httpServer';
import { openStack } from '../kit/n8n/stack';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { actionNode, webhookNode, workflowOf } from '../kit/n8n/workflow';
import { CONTINUE } from '../kit/settings';

const { api } = openStack();
const sandboxInN8n = useSandboxInN8n(api, '');

it('a request whose answer stops is given up, and its connection is closed', async () => {
	const stopping = await listenToEnd((_, response) =>
		response.writeHead(200).write('{"reference":"link-1",'),
	);
	const credentialId = await sandboxInN8n.saveCredential({ baseUrl: stopping.url });
	const parameters = {
		operation: 'createHostedLink',
		profile: 'sandbox-accept',
		mode: 1,
		options: { timeout: 1 },
	};
	const link = actionNode('Link', { credentialId, parameters, settings: CONTINUE });
	const workflow = await LiveWorkflow.start(
		api,
		workflowOf([webhookNode('Start'), link], [['Start', 'Link']]),
	);
	await workflow.send('Start', {});

	const [item] = itemsOf(await workflow.takeExecution(), 'Link');

	expect(item).toMatchObject({
		error: expect.stringMatching(/nothing arrived for 1 s\. .* processed and charged/),
	});
	expect(stopping.asked()).toBe(1);
	await stopping.closed();
});
