import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { SCENARIOS, kebabCase } from '../../dev/sandbox/scenarios';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { SPECIMEN } from '../../dev/stack/paths';
import { poll } from '../../dev/stack/poll';
import { WEBHOOK_FIXTURES, fixture } from '../kit/data/fixtures';
import { tellingValues } from '../kit/data/personalValues';
import { failingService } from './support/failingService';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { MANY_EVENTS, useOwnN8n } from '../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { Traces } from './support/traces';
import { actionNode, triggerNode, webhookNode, workflowOf } from '../kit/n8n/workflow';
import { CONTINUE } from '../kit/settings';

const SECRET = `only-for-this-run-${randomUUID()}`;
/** In the uploaded image. */
const MARK = `image-${randomUUID()}`;
/** Where n8n keeps data of executions: its tables and its files. */
const STORES = / in (rows|\.n8n\/storage)/;
const PROFILES = SCENARIOS.map(({ scenario }) => `sandbox-${kebabCase(scenario)}`);
const DEBUG = { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' };

// The last two are in minutes.
const PRUNE_AT_ONCE = {
	EXECUTIONS_DATA_PRUNE: 'true',
	EXECUTIONS_DATA_MAX_AGE: '0',
	EXECUTIONS_DATA_HARD_DELETE_BUFFER: '0',
	EXECUTIONS_DATA_PRUNE_SOFT_DELETE_INTERVAL: '0.02',
	EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL: '0.02',
};

const n8n = useOwnN8n({ ...DEBUG, ...MANY_EVENTS });
const sandboxInN8n = useSandboxInN8n(n8n, SECRET);
const { sandbox } = sandboxInN8n;

let document: Buffer;
/** What tells something about the people of all results, and isn't in a new n8n anyway. */
let personal: string[];

beforeAll(async () => {
	document = Buffer.concat([await readFile(SPECIMEN), Buffer.from(MARK)]);
	const image = document.toString('base64');
	const results = await Promise.all(PROFILES.map(async (profile) => await scanned(profile, image)));
	const bodies = [...results, ...WEBHOOK_FIXTURES.map((name) => fixture(name))];
	const values = [sandbox.filesUrl, ...bodies.flatMap(tellingValues)];
	personal = (await Traces.in(n8n.folder)).missing([...new Set(values)]);
});

/** A result of the service, asked for without n8n. */
async function scanned(profile: string, image: string): Promise<Record<string, never>> {
	const answer = await sandbox.call('/scan', { profile, document: image, face: image });
	return (await answer.json()) as Record<string, never>;
}

function uploadOf(profile: string): FormData {
	const form = new FormData();
	form.set('profile', profile);
	form.set('document', new Blob([document], { type: 'image/jpeg' }), 'document.jpg');
	return form;
}

/** A trigger, and a scan of an uploaded document. */
function workflowWith(output: string) {
	const { credentialId } = sandboxInN8n;
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
				credentialId,
				parameters: { operation: 'scan', output, ...parameters, ...face },
			}),
		],
		[['Upload', 'Scan']],
	);
}

/** Lets every scenario be scanned and finished by link, and every fixture arrive. */
async function runAll(workflow: LiveWorkflow): Promise<number> {
	for (const profile of PROFILES) {
		await fetchN8n(workflow.url('Upload'), { method: 'POST', body: uploadOf(profile) });
	}
	const query = `?secret=${SECRET}`;
	for (const { scenario } of SCENARIOS) {
		const profile = `sandbox-${kebabCase(scenario)}`;
		await sandbox.setProfile(profile, { webhookUrl: `${workflow.url('Result')}${query}` });
		await sandbox.verify({ profile, customData: 'applicant-4711' }, scenario);
	}
	for (const name of WEBHOOK_FIXTURES) await workflow.send('Result', fixture(name), { query });
	return PROFILES.length + SCENARIOS.length + WEBHOOK_FIXTURES.length;
}

it('looks for names, numbers, addresses, AML values and image addresses', () => {
	expect(personal.length).toBeGreaterThan(100);
	expect(personal).toEqual(
		expect.arrayContaining([
			'JORDAN PLACEHOLDER',
			'1 Placeholder Avenue, Sampleton',
			'S000-1234-5678',
			'1971-11-23',
			'12 Harbour Lane',
			sandbox.filesUrl,
		]),
	);
});

describe('Decision Only', () => {
	it('leaves nothing personal in the database, files and log of n8n', async () => {
		const workflow = await LiveWorkflow.start(n8n.api, workflowWith('decisionOnly'));
		const count = await runAll(workflow);

		const executions = await workflow.takeExecutions(count);
		expect(executions.map(({ status }) => status)).toEqual(Array(count).fill('success'));
		const traces = await Traces.in(n8n.folder);
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
		const failing = await failingService(fixture('webhook-reject-aml'), apiKey);
		const credentialId = await sandboxInN8n.saveCredential({ apiKey, baseUrl: failing.url });
		const names = Object.entries(SETTINGS);
		const parameters = {
			operation: 'scan',
			output: 'raw',
			profile: '={{ $json.body.profile }}',
			documentBinaryField: 'document',
		};
		const workflow = await LiveWorkflow.start(
			n8n.api,
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
		const traces = await Traces.in(n8n.folder);
		expect(traces.find([...personal, ...parts, apiKey])).toEqual([]);
	});
});

// After the tests above: it fills the database with personal values.
describe('Simplified', () => {
	it('stores the values that the search looks for, until pruning removes them', async () => {
		const workflow = await LiveWorkflow.start(n8n.api, workflowWith('simplified'));
		await workflow.takeExecutions(await runAll(workflow));
		const stored = async () =>
			(await Traces.in(n8n.folder)).find([...personal, MARK]).filter((found) => STORES.test(found));
		expect((await stored()).length).toBeGreaterThan(personal.length / 2);
		expect(await stored()).toContainEqual(expect.stringMatching(`${MARK} in .n8n/`));

		await n8n.restart(PRUNE_AT_ONCE);
		const options = { what: 'the executions to be pruned', timeoutMs: 240_000, intervalMs: 1_000 };
		const isPruned = async () => (await stored()).length === 0 || undefined;
		await poll(isPruned, options);
	});
});
