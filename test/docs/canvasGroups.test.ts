import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { validateWorkflowGroups } from 'n8n-workflow';
import type { IConnections, INode, INodeTypeDescription, IWorkflowGroup } from 'n8n-workflow';

import { start } from '../kit/engine/workflow';
import { EXAMPLES, exampleWorkflows } from './support/exampleWorkflows';

// n8n refuses to save a workflow with an invalid group of nodes, so nobody could import it.

interface File {
	nodes: INode[];
	connections: IConnections;
	nodeGroups?: IWorkflowGroup[];
}

/** What n8n has to know of a node for its groups: whether it starts a workflow. */
const typeOf = ({ type }: INode): INodeTypeDescription => ({
	...start.description,
	group: /trigger|\.webhook$/i.test(type) ? ['trigger'] : [],
});

const files = exampleWorkflows
	.map(({ file }) => ({
		file,
		...(JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as File),
	}))
	.filter(({ nodeGroups }) => nodeGroups);

const check = ({ nodes, connections }: File, nodeGroups?: IWorkflowGroup[]) =>
	validateWorkflowGroups({
		nodes,
		connectionsBySourceNode: connections,
		nodeGroups,
		getNodeType: typeOf,
	});

it.each(files)('n8n can save the groups of $file', (file) => {
	expect(check(file, file.nodeGroups)).toEqual({ valid: true });
});

it('n8n would refuse a group with a trigger, with two exits, or of nodes that are not connected', () => {
	const file = files.find(({ file }) => file === 'erase-a-person/workflow.json');
	const idOf = (wanted: string) => file?.nodes.find(({ name }) => name === wanted)?.id ?? '';
	const refused = [
		['Erase a Person', 'Find the Colleague'],
		['Search', 'Safe to Show', 'Safe to Show: an Error'],
		['The ID', 'The Same IDs'],
	];
	for (const names of refused) {
		const group = { id: 'group', name: 'Group', nodeIds: names.map(idOf) };
		expect(file && check(file, [group])).toMatchObject({ valid: false });
	}
});
