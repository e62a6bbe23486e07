import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { WorkflowFile } from '../../dev/stack/api';
import { ROOT } from '../../dev/stack/paths';
import { useBrowser } from '../kit/n8n/browser';
import { Editor } from '../kit/n8n/editor';
import { savePicture } from '../kit/n8n/savePicture';
import { openStack } from '../kit/n8n/stack';
import { newWorkflowId } from '../kit/n8n/workflow';
import { readExample } from '../kit/n8n/examples/example';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** The example whose flow the README shows, without its note. */
const OF_README = 'wait-for-the-result/workflow.json';
const EXAMPLES = join(ROOT, 'examples');

/** Credentials of other services, which nothing is sent to. */
const ACCOUNTS = {
	httpBasicAuth: { user: 'team', password: 'password' },
	googleSheetsOAuth2Api: { clientId: 'client', clientSecret: 'secret' },
	httpHeaderAuth: { name: 'X-Backend-Key', value: 'key' },
	httpQueryAuth: { name: 'secret', value: 'secret' },
	hubspotAppToken: { appToken: 'token' },
	n8nApi: { apiKey: 'key', baseUrl: 'https://n8n.example.com/api/v1' },
	openAiApi: { apiKey: 'key' },
	pipedriveApi: { apiToken: 'token' },
	slackApi: { accessToken: 'token' },
	smtp: { host: '127.0.0.1' },
};

const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.json'))
	.sort();

const stack = openStack();
const { api, credential } = stack;
const browser = useBrowser();
const credentials: Record<string, string> = { [credential.type]: credential.id };

let editor: Editor;

beforeAll(async () => {
	for (const [type, data] of Object.entries(ACCOUNTS)) {
		credentials[type] = await api.saveCredential({ name: `Account of ${type}`, type, data });
	}
});

// The editor takes seconds to load where nothing is cached.
beforeAll(async () => {
	editor = await Editor.open(await browser.newContext(), stack);
});

/** Imports an example into the editor with some changes, and opens it. */
async function open(file: string, changes: Partial<WorkflowFile> = {}): Promise<WorkflowFile> {
	const example = await readExample(file, { credentials });
	// The editor closes groups of nodes, and moves the others where one is opened.
	const workflow = { ...example, nodeGroups: [], ...changes, id: newWorkflowId() };
	await api.saveWorkflow(workflow);
	await editor.openWorkflow(workflow);
	return workflow;
}

/** What the canvas shows of an open workflow once all its steps are there. */
async function canvasOf({ nodes }: WorkflowFile) {
	const { page } = editor;
	for (const { name } of nodes.filter(({ type }) => type !== STICKY_NOTE)) {
		await page.getByText(name, { exact: true }).first().waitFor();
	}
	return {
		steps: await page.getByTestId('canvas-node').count(),
		note: await page.getByTestId('sticky').first().textContent(),
		issues: await page.getByTestId('node-issues').count(),
		cutOffNotes: await editor.cutOffNotes(),
	};
}

describe('an example that is imported into the editor', () => {
	it.each(files)('%s needs no more than what its note says', async (file) => {
		const workflow = await open(file);
		const { page } = editor;

		expect(await canvasOf(workflow)).toEqual({
			steps: workflow.nodes.filter(({ type }) => type !== STICKY_NOTE).length,
			note: expect.stringContaining('Set before use') as string,
			issues: 0,
			cutOffNotes: [],
		});
		const picture = file.replace(/(workflow|hubspot)\.json$/, 'picture.json');
		const path = `examples/${picture.replace('.json', '.png')}`;
		await savePicture(page, path, await editor.clear({ notes: true }));
		if (file === OF_README) {
			await savePicture(page, 'docs/images/flow.png', await editor.clear({ notes: false }));
		}
	});

	it('would show a step without its credential, and a note that is too low', async () => {
		const { nodes } = await readExample(OF_README, { credentials });
		const step = nodes.find(({ credentials }) => credentials);
		const changed = nodes.map((node) => {
			if (node === step) return { ...node, credentials: {} };
			if (node.type !== STICKY_NOTE) return node;
			return { ...node, parameters: { ...node.parameters, height: 80 } };
		});

		const workflow = await open(OF_README, { nodes: changed });

		expect(await canvasOf(workflow)).toMatchObject({
			issues: 1,
			cutOffNotes: ['Wait for the result'],
		});
	});
});
