import { NodeHelpers } from 'n8n-workflow';
import type { INode, INodeParameters, INodeTypeDescription } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { WorkflowFile } from '../../../dev/stack/api';
import { readExamples } from '../../../dev/stack/examples';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { openStack } from '../../kit/n8n/stack';
import { newWorkflowId } from '../../kit/n8n/workflow';
import type { WorkflowNode } from '../../kit/n8n/workflow';

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

const { api, n8nUrl } = openStack();

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
