import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { validateWorkflowGroups } from 'n8n-workflow';
import type { IConnections, INode, INodeTypeDescription, IWorkflowGroup } from 'n8n-workflow';

import { start } from '../kit/engine/workflow';
import { EXAMPLES, exampleWorkflows } from './support/exampleWorkflows';

// n8n refuses to save a workflow with an invalid group of nodes, so nobody could import it. The
// editor closes all groups when it opens a workflow.

interface File {
	nodes: INode[];
	connections: IConnections;
	nodeGroups?: IWorkflowGroup[];
}

/** In the editor, in pixels: the sides of a node, and the height of the name below it. */
const NODE_SIZE = 96;
const NAME_HEIGHT = 32;

/** What the editor shows of a closed group, however many nodes it has. */
const CLOSED = { width: 400, height: 96 };
/** Where that begins: left of the group's leftmost node, and above its topmost one. */
const BEGINS = { left: 56, above: 136 };
const GRID = 16;

interface Box {
	name: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
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

/** What a node covers: a note says its own size. */
function boxOf({ name, position: [left, top], parameters }: INode): Box {
	const { width = NODE_SIZE, height = NODE_SIZE + NAME_HEIGHT } = parameters;
	return { name, left, top, right: left + Number(width), bottom: top + Number(height) };
}

function closedBoxOf({ name, nodeIds }: IWorkflowGroup, nodes: INode[]): Box {
	const places = nodes.filter(({ id }) => nodeIds.includes(id)).map(({ position }) => position);
	const onGrid = (at: number) => Math.round(at / GRID) * GRID;
	const left = onGrid(Math.min(...places.map(([x]) => x)) - BEGINS.left);
	const top = onGrid(Math.min(...places.map(([, y]) => y)) - BEGINS.above);
	return { name, left, top, right: left + CLOSED.width, bottom: top + CLOSED.height };
}

const overlap = (one: Box, other: Box) =>
	one.left < other.right &&
	other.left < one.right &&
	one.top < other.bottom &&
	other.top < one.bottom;

it.each(files)('no closed group of $file lies on anything else', ({ nodes, nodeGroups = [] }) => {
	const groups = nodeGroups.map((group) => closedBoxOf(group, nodes));
	const inGroups = nodeGroups.flatMap(({ nodeIds }) => nodeIds);
	const others = nodes.filter(({ id }) => !inGroups.includes(id)).map(boxOf);

	const covered = groups.flatMap((group, index) =>
		[...groups.slice(index + 1), ...others]
			.filter((other) => overlap(group, other))
			.map(({ name }) => `${group.name}: ${name}`),
	);
	expect(covered).toEqual([]);
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
