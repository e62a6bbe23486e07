import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';

import type { IDataObject } from 'n8n-workflow';
import pMap from 'p-map';

import { SCENARIOS, kebabCase } from '../../dev/sandbox/scenarios';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { SPECIMEN } from '../../dev/stack/paths';
import { WEBHOOK_FIXTURES, fixture } from '../kit/data/fixtures';
import { marked, tellingValues } from '../kit/data/personalValues';
import { failingService } from './support/failingService';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { openStack } from '../kit/n8n/stack';
import { JSON_TYPE, listen } from '../kit/service/httpServer';
import { Traces } from './support/traces';
import { actionNode, triggerNode, webhookNode, workflowOf } from '../kit/n8n/workflow';
import { CONTINUE } from '../kit/settings';

const SECRET = `only-for-this-run-${randomUUID()}`;
/** In the uploaded image. */
const MARK = `image-${randomUUID()}`;
/** Of the people of all results, whom nobody else in this n8n is. */
const PERSON = `person-${randomUUID()}`;
const PROFILES = SCENARIOS.map(({ scenario }) => `sandbox-${kebabCase(scenario)}`);

const { api, folder } = openStack();
const sandboxInN8n = useSandboxInN8n(api, SECRET);
const { sandbox } = sandboxInN8n;

let document: Buffer;
/** What the service answers a scan with, by profile. */
let scans: Map<string, IDataObject>;
const webhooks = WEBHOOK_FIXTURES.map((name) => marked(fixture(name), PERSON));
/** What tells something about the people of all results. */
let personal: string[];

beforeAll(async () => {
	document = Buffer.concat([await readFile(SPECIMEN), Buffer.from(MARK)]);
	const image = document.toString('base64');
	const results = await pMap(PROFILES, async (profile) => await scanned(profile, image));
	scans = new Map(results.map((result) => [String(result.profileId), marked(result, PERSON)]));
	personal = [...new Set([...scans.values(), ...webhooks].flatMap(tellingValues)), PERSON];
});

/** A result of the service, asked for without n8n. */
async function scanned(profile: string, image: string): Promise<IDataObject> {
	const answer = await sandbox.call('/scan', { profile, document: image, face: image });
	return (await answer.json()) as IDataObject;
}

function uploadOf(profile: string): FormData {
	const form = new FormData();
	form.set('profile', profile);
	form.set('document', new Blob([document], { type: 'image/jpeg' }), 'document.jpg');
	return form;
}

/** A trigger, and a scan of an uploaded document by a service that knows these people. */
async function workflowWith(output: string) {
	const { credentialId } = sandboxInN8n;
	const service = await listen(async (request, response) => {
		const { profile } = JSON.parse(await text(request)) as { profile: string };
		response.writeHead(200, JSON_TYPE).end(JSON.stringify(scans.get(profile)));
	});
	const parameters = { profile: '={{ $json.body.profile }}', documentBinaryField: 'document' };
	const face = { faceSource: 'binary', faceBinaryField: 'document' };
	return workflowOf(
		[
			triggerNode('Result', {
				credentialId,
				parameters: { authentication: 'webhookSecret', output },
			}),
			webhookNode('Upload'),
			actionNode('Scan', {
				credentialId: await sandboxInN8n.saveCredential({ baseUrl: service.url }),
				parameters: { operation: 'scan', output, ...parameters, ...face },
			}),
		],
		[['Upload', 'Scan']],
	);
}

/** Lets every scenario be scanned, and every result arrive. Returns how many executions that makes. */
async function runAll(workflow: LiveWorkflow): Promise<number> {
	for (const profile of PROFILES) {
		await fetchN8n(workflow.url('Upload'), { method: 'POST', body: uploadOf(profile) });
	}
	const results = [...scans.values()].map((scan, index) => ({
		...scan,
		event: 'hosted_conclusive',
		hosted: `link-${index}`,
		customData: 'applicant-4711',
	}));
	for (const body of [...results, ...webhooks]) {
		await workflow.send('Result', body, { query: `?secret=${SECRET}` });
	}
	return PROFILES.length + results.length + webhooks.length;
}

it('looks for names, numbers, addresses, AML values and image addresses', () => {
	expect(personal.length).toBeGreaterThan(100);
	expect(personal).toEqual(
		expect.arrayContaining(
			[
				'JORDAN PLACEHOLDER',
				'1 Placeholder Avenue, Sampleton',
				'S000-1234-5678',
				'1971-11-23',
				'12 Harbour Lane',
			].map((value) => `${PERSON} ${value}`),
		),
	);
	expect(personal.some((value) => value.startsWith(`${sandbox.filesUrl}/${PERSON}`))).toBe(true);
});

describe('Decision Only', () => {
	it('leaves nothing personal in the database, files and log of n8n', async () => {
		const workflow = await LiveWorkflow.start(api, await workflowWith('decisionOnly'));
		const count = await runAll(workflow);

		const executions = await workflow.takeExecutions(count);
		expect(executions.map(({ status }) => status)).toEqual(Array(count).fill('success'));
		const traces = await Traces.in(folder);
		expect(traces.find(['applicant-4711', 'AML_SANCTION'])).toEqual(
			expect.arrayContaining([
				expect.stringMatching(/4711 in rows/),
				expect.stringMatching(/AML.*in rows/),
			]),
		);
		const decoded = JSON.stringify(executions);
		expect(personal.filter((value) => decoded.includes(value))).toEqual([]);
		expect(traces.find([...personal, SECRET])).toEqual([]);
	});
});

describe('a scan that fails', () => {
	const SETTINGS = { Stop: {}, Continue: CONTINUE };

	it('leaves nothing of a response, no key and no image in n8n', async () => {
		const apiKey = `key-${randomUUID()}`;
		const failing = await failingService(marked(fixture('webhook-reject-aml'), PERSON), apiKey);
		const credentialId = await sandboxInN8n.saveCredential({ apiKey, baseUrl: failing.url });
		const names = Object.entries(SETTINGS);
		const parameters = {
			operation: 'scan',
			output: 'raw',
			profile: '={{ $json.body.profile }}',
			documentBinaryField: 'document',
		};
		const workflow = await LiveWorkflow.start(
			api,
			workflowOf(
				names.flatMap(([name, settings]) => [
					webhookNode(`Upload ${name}`),
					actionNode(`Scan ${name}`, { credentialId, parameters, settings }),
				]),
				names.map(([name]) => [`Upload ${name}`, `Scan ${name}`]),
			),
		);

		for (const kind of failing.kinds) {
			for (const [name] of names) {
				const body = uploadOf(kind);
				await fetchN8n(workflow.url(`Upload ${name}`), { method: 'POST', body });
			}
		}

		const count = failing.kinds.length * names.length;
		const executions = await workflow.takeExecutions(count);
		expect(executions).toHaveLength(count);
		const decoded = executions.map((execution) => JSON.stringify(execution));
		expect(decoded.filter((text) => !/The service answered|No answer/.test(text))).toEqual([]);
		const image = document.toString('base64');
		const parts = [0, 1_000, 4_000].map((start) => image.slice(start, start + 40));
		const traces = await Traces.in(folder);
		expect(traces.find([...personal, ...parts, apiKey])).toEqual([]);
	});
});

// After the tests above: it fills the database with personal values.
it('Simplified stores the values that the search looks for', async () => {
	const workflow = await LiveWorkflow.start(api, await workflowWith('simplified'));
	await workflow.takeExecutions(await runAll(workflow));

	const found = (await Traces.in(folder)).find([...personal, MARK]);
	const stored = found.filter((place) => / in (rows|\.n8n\/storage)/.test(place));
	expect(stored.length).toBeGreaterThan(personal.length / 2);
	expect(stored).toContainEqual(expect.stringMatching(`${MARK} in .n8n/`));
});
