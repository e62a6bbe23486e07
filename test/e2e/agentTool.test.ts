import { randomBytes } from 'node:crypto';

import { fixture } from '../kit/data/fixtures';
import { picture } from '../kit/data/picture';
import { tellingValues } from '../kit/data/personalValues';
import { sha256 } from '../kit/service/sandbox';
import { openStack } from '../kit/n8n/stack';
import { AGENT, START, TOOL, runAgent } from './support/agent';
import type { AgentRunOptions } from './support/agent';
import { failingService } from './support/failingService';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { imageNodes, loopNode } from '../kit/n8n/workflow';
import { CONTINUE, retryOnFail } from '../kit/settings';

const PROFILE = 'sandbox-accept';

const stack = openStack();
const { api } = stack;
const sandboxInN8n = useSandboxInN8n(stack, '');
const { sandbox } = sandboxInN8n;

const link = {
	operation: 'createHostedLink',
	profile: PROFILE,
	mode: 1,
	customData: "={{ $fromAI('Custom_Data', `Your ID of the applicant`, 'string') }}",
};
const scan = { operation: 'scan', profile: PROFILE };

const image = picture();
const base64 = image.toString('base64');

/** What a form with an upload sends. */
function upload(): FormData {
	const form = new FormData();
	form.set('photo', new Blob([image], { type: 'image/jpeg' }), 'photo.jpg');
	return form;
}
const photo = `={{ $('${START}').item.binary.photo }}`;

interface RunOptions extends Partial<AgentRunOptions> {
	parameters: Record<string, unknown>;
	settings?: Record<string, unknown>;
	credentialId?: string;
}

// Agents from version 3 on let n8n's engine run their tools; older ones, agents as tools, and n8n's
// MCP server run them by themselves.
const AGENT_VERSIONS = [3.1, 2.2];

describe.each(AGENT_VERSIONS)('as the tool of an AI agent of version %d', (version) => {
	const runsTools = version < 3;
	const run = async ({ parameters, settings, credentialId, ...options }: RunOptions) =>
		await runAgent(api, {
			version,
			turns: [{}],
			tool: { parameters, settings, credentialId: credentialId ?? sandboxInN8n.credentialId },
			...options,
		});
	// These older agents tell the model nothing of what a tool throws.
	const tellErrors = runsTools ? CONTINUE : {};

	it('creates one link, of which the model is told what it does, what to fill in, and its address', async () => {
		const { tool, results } = await run({
			parameters: link,
			turns: [{ Custom_Data: 'applicant-1' }],
		});

		expect(tool?.name).toBe(TOOL);
		expect(tool?.description).toMatch(/^Creates a link .*one person.*url and reference/s);
		expect(tool?.description).toMatch(/uses paid credits: call it once/);
		expect(tool?.parameters).toMatchObject({
			type: 'object',
			properties: { Custom_Data: { type: 'string', description: 'Your ID of the applicant' } },
			required: ['Custom_Data'],
			additionalProperties: false,
		});
		expect(Object.keys(tool?.parameters.properties ?? {})).toEqual(['Custom_Data']);
		expect(await sandbox.requests()).toMatchObject([
			{ status: 200, profile: PROFILE, customData: 'applicant-1' },
		]);
		expect(await sandbox.billed()).toBe(1);
		const url = expect.stringMatching(`^${sandbox.url}/`) as string;
		const reference = expect.any(String) as string;
		expect(results.map(parse)).toEqual([[{ reference, url, customData: 'applicant-1' }]]);
	});

	it('scans the file of each of several items in a loop', async () => {
		const images = [1, 2].map(() => picture());
		const { nodes, connections } = imageNodes(START, 'Image');
		await run({
			parameters: {
				...scan,
				documentBinaryField: "={{ $('Loop').first(1).binary.data }}",
			},
			body: { images: images.map((content) => content.toString('base64')) },
			turns: [{}, 'ends', {}, 'ends'],
			way: {
				nodes: [...nodes, loopNode('Loop')],
				connections: [...connections, ['Image', 'Loop'], ['Loop', AGENT, 1], [AGENT, 'Loop']],
			},
		});

		expect(await sandbox.documents()).toEqual(images.map(sha256));
	});

	it('Retry On Fail does not repeat a request that may have been charged', async () => {
		await sandbox.fault({ on: 'hosted', kind: 'broken' });
		const turns = [{ Custom_Data: 'applicant-1' }];
		const { results } = await run({ parameters: link, turns, settings: retryOnFail(3) });

		expect(await sandbox.requests()).toHaveLength(1);
		expect(await sandbox.billed()).toBe(1);
		const message = expect.stringContaining('may have been processed and charged') as string;
		expect(results).toEqual([runsTools ? '' : message]);
	});

	it('pays for three calls in an execution, however often the model asks', async () => {
		const turns = [1, 2, 3, 4, 5].map((id) => ({ Custom_Data: `applicant-${id}` }));
		const { results } = await run({ parameters: link, turns, settings: tellErrors });

		expect(await sandbox.billed()).toBe(3);
		const isRefused = (result: string) => /'Max Paid Requests' is used up/.test(result);
		expect(results.map(isRefused)).toEqual([false, false, false, true, true]);
	});

	// The text holds the key, so all of it is hidden.
	const hidden = /^The service answered with status 50\d: \(.* may contain a key or an image\)/;
	const leftOut = /^The service answered with status 50\d: \(what the service wrote is hidden/;

	it.each([
		['serverErrorMessage', 'simplified', hidden],
		['html', 'decisionOnly', leftOut],
	])(
		"tells the model the service's error %s, with Output %s, without key, image and personal data",
		async (profile, output, message) => {
			const result = fixture('scan-aml');
			const apiKey = randomBytes(16).toString('hex');
			const { url } = await failingService(result, apiKey);
			const credentialId = await sandboxInN8n.saveCredential({ apiKey, baseUrl: url });
			const { results, told: all } = await run({
				parameters: { ...scan, profile, output, documentBinaryField: photo },
				settings: tellErrors,
				credentialId,
				body: upload(),
				agentOptions: { passthroughBinaryImages: false },
			});

			expect(results.map(parse)).toEqual([[{ error: expect.stringMatching(message) }]]);
			expect([apiKey, base64, ...tellingValues(result)].filter((v) => all.includes(v))).toEqual([]);
		},
	);
});

function parse(result: string): unknown {
	return JSON.parse(result);
}
