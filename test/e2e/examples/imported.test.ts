import { join } from 'node:path';

import { NodeHelpers } from 'n8n-workflow';
import type { INode, INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { WorkflowFile } from '../../../dev/stack/api';
import { readExamples } from '../../../dev/stack/examples';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { ROOT } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { addStartNote } from '../../../dev/stack/startNote';
import { useBrowser } from '../../kit/n8n/browser';
import { Editor } from '../../kit/n8n/editor';
import { openStack } from '../../kit/n8n/stack';
import { newWorkflowId, workflowOf } from '../../kit/n8n/workflow';
import type { WorkflowNode } from '../../kit/n8n/workflow';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** Between two notes on one canvas. */
const MARGIN = 100;

const saved = z.object({
	nodes: z.array(z.object({ name: z.string() })),
	settings: z.record(z.string(), z.unknown()).default({}),
});
const migration = z.object({
	report: z.object({ workflowResults: z.array(z.object({ ruleId: z.string() })) }),
});
const rule = z.object({
	affectedWorkflows: z.array(
		z.object({ id: z.string(), issues: z.array(z.object({ title: z.string() })) }),
	),
});

const step = z.object({
	id: z.string().default(''),
	name: z.string(),
	type: z.string(),
	typeVersion: z.number(),
	position: z.tuple([z.number(), z.number()]),
});

const stack = openStack();
const { api, n8nUrl } = stack;
const browser = useBrowser();

let examples: WorkflowFile[];
let types: INodeTypeDescription[];

beforeAll(async () => {
	examples = await readExamples();
	const { cookie, browserId } = api.session;
	const headers = { cookie, 'browser-id': browserId };
	const answer = await fetchN8n(`${n8nUrl}/types/nodes.json`, { headers });
	types = (await answer.json()) as INodeTypeDescription[];
});

const read = async (id: string) => await api.get(`/workflows/${api.idOf(id)}`, saved);

const namesOf = (nodes: { name: string }[]) => nodes.map(({ name }) => name).sort();

/** What n8n's editor would mark a step for, if it had an account for each of its credentials. */
function issuesOf(file: WorkflowNode): string[] {
	const { parameters: set, credentials = {} } = file;
	const node: INode = { ...step.parse(file), parameters: set as INodeParameters };
	const type = types.find(
		({ name, version }) => name === node.type && [version].flat().includes(node.typeVersion),
	);
	if (!type) return [`${node.name} is of the unknown type ${node.type} ${node.typeVersion}`];
	const { properties } = type;
	const filled = NodeHelpers.getNodeParameters(
		properties,
		set as INodeParameters,
		true,
		false,
		node,
		type,
	);
	const complete = { ...node, parameters: filled ?? {} };
	const { parameters = {} } = NodeHelpers.getNodeParametersIssues(properties, complete, type) ?? {};
	const missing = (type.credentials ?? []).filter(
		(wanted) =>
			wanted.required &&
			NodeHelpers.displayParameter(complete.parameters, wanted, complete, type) &&
			!(wanted.name in credentials),
	);
	return [
		...Object.values(parameters).flat(),
		...missing.map(({ name }) => `a credential of the type ${name} is missing`),
	].map((issue) => `${node.name}: ${issue}`);
}

it('all examples come in by the API of n8n with all nodes and settings', async () => {
	expect(examples.length).toBeGreaterThan(25);
	for (const example of examples) {
		// n8n has copies of its own, but other tests write into those.
		const id = newWorkflowId();
		await api.saveWorkflow({ ...example, id });
		const imported = await read(id);
		expect(namesOf(imported.nodes)).toEqual(namesOf(example.nodes));
		expect(imported.settings).toMatchObject(example.settings as object);
	}
});

it('no step of an example needs more than its account', () => {
	const steps = examples.flatMap(({ name, nodes }) => nodes.map((node) => ({ name, node })));

	expect(
		steps.flatMap(({ name, node }) => issuesOf(node).map((issue) => `${name}, ${issue}`)),
	).toEqual([]);

	const [scan] = steps.filter(({ node }) => node.parameters.operation === 'scan');
	const { node } = scan as (typeof steps)[number];
	expect(issuesOf({ ...node, credentials: {} })).toEqual([expect.stringContaining('credential')]);
	const parameters = { ...node.parameters, profile: '' };
	expect(issuesOf({ ...node, parameters })).toEqual([expect.stringContaining('Profile')]);
});

it('the editor shows the whole of each note', async () => {
	for (const example of examples) addStartNote(example);
	const notes = examples.flatMap(({ nodes }) => nodes.filter(({ type }) => type === STICKY_NOTE));
	const low = { ...notes[0], parameters: { ...notes[0]?.parameters, height: 80 } } as WorkflowNode;
	let top = 0;
	const placed = [...notes, low].map((note, index) => {
		const position = [0, top];
		top += Number(note.parameters.height) + MARGIN;
		return { ...note, id: `note-${index}`, name: `Note ${index}`, position };
	});
	const workflow = workflowOf(placed);
	await api.saveWorkflow(workflow);
	const editor = await Editor.open(await browser.newContext(), stack);
	await editor.page.goto(`${n8nUrl}/workflow/${workflow.id}`);
	const stickies = editor.page.getByTestId('sticky');
	const areShown = async () => (await stickies.count()) === placed.length || undefined;
	await poll(areShown, { what: 'the notes to be shown', timeoutMs: 120_000 });

	const [title = ''] = String(low.parameters.content).replace(/^#+ /, '').split('\n');
	expect(await editor.cutOffNotes()).toEqual([title]);
});

it('scan-an-upload, imported into the editor, keeps no documents once its steps were followed', async () => {
	const editor = await Editor.open(await browser.newContext(), stack);
	const { page } = editor;
	const file = join(ROOT, 'examples', 'scan-an-upload', 'workflow.json');
	const id = await editor.importWorkflow(file);
	// The editor imports no such setting, so the example's note has to name it.
	expect((await read(id)).settings).not.toHaveProperty('saveDataSuccessExecution');
	await editor.openMenu('Settings');
	await page.getByTestId('workflow-settings-save-success-executions').click();
	await page.getByRole('option', { name: 'Do not save' }).click();
	await page.getByRole('button', { name: 'Save', exact: true }).click();
	const isSet = async () =>
		(await read(id)).settings.saveDataSuccessExecution === 'none' || undefined;

	await poll(isSet, { what: 'the setting to be saved', timeoutMs: 30_000 });
});

it("n8n's own migration report for its version 3 finds nothing in the examples", async () => {
	const names = new Map(examples.map(({ id, name }) => [api.idOf(id), name]));

	const { report } = await api.post('/breaking-changes/report/refresh?version=v3', {}, migration);

	const problems: string[] = [];
	for (const { ruleId } of report.workflowResults) {
		const { affectedWorkflows } = await api.get(`/breaking-changes/report/${ruleId}`, rule);
		for (const { id, issues } of affectedWorkflows) {
			const titles = issues.map(({ title }) => title).join('; ');
			if (names.has(id)) problems.push(`${names.get(id)}: ${titles}`);
		}
	}
	expect(names.size).toBe(examples.length);
	expect(problems).toEqual([]);
});
