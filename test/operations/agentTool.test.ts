import { NodeHelpers } from 'n8n-workflow';
import type { INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { OPERATIONS } from '../../nodes/IdentityVerification/operations';
import { fixture } from '../kit/data/fixtures';
import { tellingValues } from '../kit/data/personalValues';
import { runNode } from '../kit/engine';
import { picture } from '../kit/data/picture';
import { agentTool, sandboxCredential, failureOf, jsonOf } from '../kit/engine/action';
import { listenJson } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';

// The node as n8n hands it to an AI agent, with a file of an earlier node. How agents call it:
// test/e2e/agentTool.

const sandbox = useSandbox();

const FILE = "={{ $('Start').item.binary.other }}";

async function callTool(parameters: INodeParameters, baseUrl = sandbox.url) {
	return await runNode({
		node: agentTool(),
		items: [{ files: { other: { content: picture(), fileName: 'Ana Varkov.jpg' } } }],
		credential: sandboxCredential(sandbox, { baseUrl }),
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

		expect(message).toMatch(/status 400: .*\. Nothing was charged \(charge: none\) \[item 0\]$/);
	},
);

/** What the editor lists under Operation, by n8n's own rule of what is shown. */
function offeredOperations(description: INodeTypeDescription): unknown[] {
	const [operation] = description.properties.filter(({ name }) => name === 'operation');
	if (!operation) throw new Error('The node has no operations.');
	const values = { resource: 'verification', operation: 'scan' };
	return (operation.options ?? [])
		.flatMap((option) => ('value' in option ? [option] : []))
		.filter(({ displayOptions }) =>
			NodeHelpers.displayParameter(values, { ...operation, displayOptions }, null, description),
		)
		.map(({ value }) => value);
}

it('an agent is offered what a model can use, and nothing that waits or needs files', () => {
	const all = ['createHostedLink', 'downloadFiles', 'scan', 'waitForResult'];

	expect(offeredOperations(new IdentityVerification().description)).toEqual(all);
	expect(offeredOperations(agentTool().description)).toEqual(['createHostedLink', 'scan']);
});

it('the model reads of each operation that it uses paid credits', () => {
	const descriptions = OPERATIONS.flatMap(({ toolDescription }) => toolDescription ?? []);

	expect(descriptions).toEqual([
		expect.stringMatching(/^Creates a link .*uses paid credits: call it once/s),
		expect.stringMatching(/^Checks the image .*decision.*uses paid credits: call it once/s),
	]);
});

// Else whoever writes to the agent could have any file of its item checked.
it.each<[string, INodeParameters]>([
	['Document Image', { operation: 'scan', documentBinaryField: 'other' }],
	['Face Image', { operation: 'scan', faceSource: 'binary', faceBinaryField: 'other' }],
	['Reference Face', { operation: 'createHostedLink', referenceFaceBinaryField: 'other' }],
	['Document Image', { operation: 'scan', documentBinaryField: '={{ "" }}' }],
])('the model cannot name a binary field: %s', async (label, parameters) => {
	const { message, description } = failureOf(await callTool(parameters));

	expect(message).toBe(
		`The ${label.toLowerCase()} is missing: AI agents can't pass files to tools. Set '${label} Binary Field' to an expression. Nothing was charged (charge: none) [item 0]`,
	);
	expect(description).toContain("{{ $('Form').item.binary.data }}");
	expect(await sandbox.requests()).toEqual([]);
});

it.each(['downloadFiles', 'waitForResult', 'fly'])(
	'an imported tool cannot run %s',
	async (operation) => {
		const { message } = failureOf(await callTool({ operation }));

		expect(message).toMatch(
			/^The 'Operation' of an agent's tool is not one of createHostedLink, scan\. Nothing was charged/,
		);
	},
);

it('an Output that does not exist is refused with those that do', async () => {
	const { message } = failureOf(await callTool({ operation: 'scan', output: 'all' }));

	expect(message).toContain(
		"'Output' is not one of decisionAndFields, decisionOnly, raw, simplified.",
	);
});

it.each(['={{ "raw" }}', '={{ $fromAI("output") }}'])(
	'an expression as Output is refused, because a model could fill it in: %s',
	async (output) => {
		const { message } = failureOf(await callTool({ operation: 'scan', output }));

		expect(message).toContain("'Output' is not one of");
		expect(await sandbox.requests()).toEqual([]);
	},
);

it('a Resource that does not exist is refused as such', async () => {
	const { message } = failureOf(await callTool({ operation: 'scan', resource: 'document' }));

	expect(message).toMatch(/^'Resource' is not one of verification\. Nothing was charged/);
});

it('Fields that do not exist are refused with those that do', async () => {
	const parameters = { output: 'decisionAndFields', documentFields: ['fields.dob', 'age'] };
	const { message } = failureOf(await callTool({ operation: 'scan', ...parameters }));

	expect(message).toMatch(
		/^One of the 'Fields' is not one of .*fields\.age,.*\. Nothing was charged/,
	);
	expect(await sandbox.requests()).toEqual([]);
});

it('the model gets an accept, whose output an agent would not read', async () => {
	const parameters = { operation: 'scan', output: 'decisionOnly', branchOnDecision: true };

	expect(jsonOf(await callTool(parameters))).toMatchObject([{ decision: 'accept' }]);
});

it('the model gets nothing of the document unless the node is set to return it', async () => {
	const [result] = jsonOf(await callTool({ operation: 'scan' }));

	expect(result).toMatchObject({ decision: 'accept' });
	expect(JSON.stringify(result)).not.toMatch(/ALEX|1990-02-14/);
});

it('the model gets a link without its QR code', async () => {
	const [link] = jsonOf(await callTool({ operation: 'createHostedLink' }));

	expect(link).toEqual({ reference: expect.any(String), url: expect.any(String), customData: '' });
});

describe('with Decision and Fields', () => {
	const scan = async (
		body: object,
		status = 200,
		documentFields: INodeParameters['documentFields'] = ['fields.age'],
	) => {
		const { url } = await listenJson(() => ({ status, body }));
		const chosen = { output: 'decisionAndFields', documentFields };
		return await callTool({ operation: 'scan', ...chosen }, url);
	};

	it.each<[INodeParameters['documentFields'], object]>([
		[['fields.age'], { age: 54 }],
		[[], {}],
		['fields.age', { age: 54 }],
	])('the model gets what the user chose in Fields, and no more: %j', async (chosen, fields) => {
		const body = fixture('scan-aml');
		const [told] = jsonOf(await scan(body, 200, chosen));

		expect(Object.keys(told ?? {})).toEqual([
			...['decision', 'warnings', 'transactionId', 'details', 'fields'],
		]);
		expect(told?.fields).toEqual(fields);
		const text = JSON.stringify(told);
		expect(tellingValues(body).filter((value) => text.includes(value))).toEqual([]);
	});

	it("no text of the service's errors reaches the model", async () => {
		const { message } = failureOf(await scan({ message: 'No match for Ana Varkov' }, 400));

		expect(message).toMatch(/the service wrote is hidden/);
		expect(message).not.toContain('Varkov');
	});

	it.each([
		['an accept beside an error', { decision: 'accept', error: 'The check failed' }],
		['a decision that is not documented', { decision: 'Ana Varkov' }],
	])('the model is told of %s only that it is not recognized', async (_, body) => {
		const [told] = jsonOf(await scan({ transactionId: 'tx-1', ...body }));

		expect(told).toMatchObject({ decision: null, unrecognizedDecision: true, fields: {} });
		expect(JSON.stringify(told)).not.toContain('Varkov');
	});
});
