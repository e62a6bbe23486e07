import { z } from 'zod/v4';

import { itemsOf } from '../../dev/stack/execution';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { isN8nSince, openStack } from '../kit/n8n/stack';

// n8n's MCP server, as a model uses it that builds workflows.

const { api } = openStack();

const ACTION = 'n8n-nodes-identity-verification.identityVerification';
const TRIGGER = 'n8n-nodes-identity-verification.identityVerificationTrigger';
const TOOL = 'n8n-nodes-identity-verification.identityVerificationTool';

const mcpSettings = z.object({ mcpAccessEnabled: z.boolean() });
const mcpKey = z.object({ apiKey: z.string() });
const mcpAnswer = z.object({
	result: z.object({ structuredContent: z.record(z.string(), z.unknown()) }),
});

let key = '';

/** Calls a tool of n8n's MCP server. */
async function callTool(name: string, input: object): Promise<Record<string, unknown>> {
	const answer = await fetchN8n(`${api.url}/mcp-server/http`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${key}`,
			accept: 'application/json, text/event-stream',
			'content-type': 'application/json',
		},
		body: JSON.stringify({
			jsonrpc: '2.0',
			id: 1,
			method: 'tools/call',
			params: { name, arguments: input },
		}),
	});
	const [, json = ''] = /^data: (.*)$/m.exec(await answer.text()) ?? [];
	return mcpAnswer.parse(JSON.parse(json)).result.structuredContent;
}

/** What a model reads about the nodes that n8n finds, in their order. */
async function search(query: string): Promise<Map<string, string>> {
	const { results } = await callTool('search_nodes', { queries: [query] });
	const [, ...found] = String(results).split(/^- (?=n8n-nodes)/m);
	return new Map(found.map((text) => [/^\S+/.exec(text)?.[0] ?? '', text]));
}

const PERSON = { profile: 'sandbox-accept', mode: 1, customData: 'applicant-1' };
const LINK = { reference: 'invented-link-1', url: 'https://example.com/invented-link-1' };
const ACCEPT = { decision: 'accept', ...LINK };

/** What a model writes: a node of this package, in the language of n8n's workflow SDK. */
function ownNode(name: string, operation: string, parameters: object, sample: object): string {
	const config = JSON.stringify({
		name,
		parameters: { resource: 'verification', operation, ...parameters },
		output: [sample],
	});
	return `node({ type: '${ACTION}', version: 1, config: ${config} })`;
}

const BRANCHES = ['No Result', 'Review', 'Accept', 'Reject'];
const CODE = `import { workflow, node, trigger } from '@n8n/workflow-sdk';
const start = trigger({ type: 'n8n-nodes-base.manualTrigger', version: 1, config: { name: 'Start', output: [{}] } });
const link = ${ownNode('Create Hosted Link', 'createHostedLink', PERSON, LINK)};
const wait = ${ownNode('Wait for Result', 'waitForResult', { output: 'decisionOnly' }, ACCEPT)};
${BRANCHES.map(
	(name, index) =>
		`const branch${index} = node({ type: 'n8n-nodes-base.noOp', version: 1, config: { name: '${name}', output: [{}] } });`,
).join('\n')}
export default workflow('built', 'Built by an assistant')
  .add(start).to(link).to(wait)
${BRANCHES.map((_, index) => `  .add(wait.output(${index}).to(branch${index}))`).join('\n')};
`;

// Older ones haven't been tried.
(isN8nSince(2, 41) ? describe : describe.skip)('a model at the MCP server of n8n', () => {
	beforeAll(async () => {
		await api.patch('/mcp/settings', { mcpAccessEnabled: true }, mcpSettings);
		// n8n shows a key only when it is made.
		await api.get('/mcp/api-key', mcpKey);
		({ apiKey: key } = await api.post('/mcp/api-key/rotate', {}, mcpKey));
	});
	afterAll(async () => {
		await api.patch('/mcp/settings', { mcpAccessEnabled: false }, mcpSettings);
	});

	it.each(['verify identity', 'KYC', 'scan passport', 'age verification', 'sanctions screening'])(
		'finds the nodes for: %s',
		async (job) => {
			const found = await search(job);

			expect([...found.keys()].slice(0, 3).sort()).toEqual([ACTION, TOOL, TRIGGER].sort());
			for (const node of [ACTION, TRIGGER])
				expect(found.get(node)).toMatch(/the outputs Review, Accept and Reject.*pinned test data/);
		},
	);

	it('builds a flow that waits, and tests an accept, which runs the first output', async () => {
		expect(await callTool('validate_workflow', { code: CODE })).toMatchObject({ valid: true });
		const { workflowId } = await callTool('create_workflow_from_code', { code: CODE });
		const pinData = {
			Start: [{ json: {} }],
			'Create Hosted Link': [{ json: LINK }],
			'Wait for Result': [{ json: ACCEPT }],
		};

		const { executionId, status } = await callTool('test_workflow', { workflowId, pinData });

		expect(status).toBe('success');
		const execution = await api.getExecution(String(executionId));
		expect(BRANCHES.filter((name) => name in execution.data)).toEqual(['No Result']);
		expect(itemsOf(execution, 'No Result')).toEqual([ACCEPT]);
		const saved = z.object({ connections: z.record(z.string(), z.unknown()) });
		const { connections } = await api.get(`/workflows/${String(workflowId)}`, saved);
		expect(connections['Wait for Result']).toEqual({
			main: BRANCHES.map((node) => [{ node, type: 'main', index: 0 }]),
		});
	});
});
