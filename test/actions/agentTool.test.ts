import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../kit/engine';
import { agentTool, credentialFor, failureOf, jsonOf, picture } from '../kit/engine/action';
import { listenJson } from '../kit/httpServer';
import { useSandbox } from '../kit/sandbox';

// The node as n8n hands it to an AI agent, with a file of an earlier node. How agents call it: test/e2e/aiTool.

const sandbox = useSandbox();

const FILE = "={{ $('Start').item.binary.other }}";

async function callTool(parameters: INodeParameters, baseUrl = sandbox.url) {
	return await runNode({
		node: agentTool(),
		items: [{ files: { other: { content: picture(), fileName: 'Ana Varkov.jpg' } } }],
		credential: credentialFor(sandbox, { baseUrl }),
		parameters: {
			profile: 'sandbox-accept',
			mode: 2,
			documentBinaryField: FILE,
			referenceFaceBinaryField: FILE,
			...parameters,
		},
	});
}

it.each(['scan', 'createHostedLink'])(
	'the model learns no file name when the service refuses a %s',
	async (operation) => {
		await sandbox.fault({ on: 'scan', kind: 'status', status: 400 });
		await sandbox.fault({ on: 'hosted', kind: 'status', status: 400 });

		const { message } = failureOf(await callTool({ operation }));

		expect(message).toMatch(/status 400: .*\. Nothing was charged \[item 0\]$/);
	},
);

it.each(['downloadFiles', 'waitForResult'])('an imported tool cannot run %s', async (operation) => {
	const { message } = failureOf(await callTool({ operation }));

	expect(message).toMatch(/^The node has an operation that does not exist/);
});

it('the model gets an accept, whose output an agent would not read', async () => {
	const parameters = { operation: 'scan', output: 'decisionOnly', branchOnDecision: true };

	expect(jsonOf(await callTool(parameters))).toMatchObject([{ decision: 'accept' }]);
});

describe('with Selected Fields', () => {
	const scan = async (body: object, status = 200) => {
		const { url } = await listenJson(() => ({ status, body }));
		const selected = { output: 'selectedFields', selectedFields: ['fields.age'] };
		return await callTool({ operation: 'scan', ...selected }, url);
	};

	it("no text of the service's errors reaches the model", async () => {
		const { message } = failureOf(await scan({ message: 'No match for Ana Varkov' }, 400));

		expect(message).toMatch(/message is hidden/);
		expect(message).not.toContain('Varkov');
	});

	it.each([
		['an accept beside an error', { decision: 'accept', error: 'The check failed' }],
		['a decision that is not documented', { decision: 'Ana Varkov' }],
	])('the model is told of %s only that it is not recognized', async (_, body) => {
		expect(jsonOf(await scan({ transactionId: 'tx-1', ...body }))).toEqual([
			{ decision: null, unrecognizedDecision: true, transactionId: 'tx-1', fields: {} },
		]);
	});
});
