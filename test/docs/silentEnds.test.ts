import { exampleWorkflows } from './support/exampleWorkflows';
import type { ExampleNode, ExampleWorkflow } from './support/exampleWorkflows';

// After something was paid, nothing ends in silence.

/** Where it is right that a Switch passes some items on to nobody. */
const MAY_END = [
	// The model has asked nobody, so nothing was approved.
	'agent-with-approval/workflow.json, Was a Link Created?',
];

const PAYING = ['scan', 'createHostedLink'];
const OWN_TYPE = /\.identityVerification(Tool)?$/;

const pays = ({ type, parameters }: ExampleNode) =>
	OWN_TYPE.test(type) && PAYING.includes(String(parameters.operation));

const hasFallback = ({ parameters }: ExampleNode) =>
	(parameters.options as { fallbackOutput?: string }).fallbackOutput === 'extra';

/** How many outputs a node has, without that for errors. */
function outputCount(node: ExampleNode): number {
	const { type, parameters } = node;
	if (type.endsWith('.if')) return 2;
	if (type.endsWith('.switch')) {
		const { values } = parameters.rules as { values: unknown[] };
		return values.length + (hasFallback(node) ? 1 : 0);
	}
	if (!OWN_TYPE.test(type) || parameters.branchOnDecision === false) return 1;
	return { scan: 3, waitForResult: 4 }[String(parameters.operation)] ?? 1;
}

/** The nodes that pay, and all after them. */
function afterPaying({ nodes, connections }: ExampleWorkflow): ExampleNode[] {
	const reached = new Set(nodes.filter(pays).map(({ name }) => name));
	for (const name of reached) {
		const { main = [], ai_tool: tools = [] } = connections[name] ?? {};
		for (const { node } of [...main, ...tools].flat()) reached.add(node);
	}
	return nodes.filter(({ name }) => reached.has(name));
}

/** The outputs that have to lead somewhere: those of an If or Switch, and that for errors. */
function outputsOf(node: ExampleNode): number[] {
	const count = outputCount(node);
	const branches = /\.(if|switch)$/.test(node.type) ? [...Array(count).keys()] : [];
	return node.onError === 'continueErrorOutput' ? [...branches, count] : branches;
}

const found = exampleWorkflows.flatMap((workflow) =>
	afterPaying(workflow).flatMap((node) =>
		outputsOf(node).map((output) => ({
			where: `${workflow.file}, ${node.name}`,
			output,
			next: workflow.connections[node.name]?.main?.[output] ?? [],
		})),
	),
);

it.each(found)('something follows $where at output $output', ({ next }) => {
	expect(next).not.toEqual([]);
});

it('a Switch passes all on, but for those that are known', () => {
	const others = exampleWorkflows.flatMap((workflow) =>
		afterPaying(workflow)
			.filter((node) => node.type.endsWith('.switch') && !hasFallback(node))
			.map(({ name }) => `${workflow.file}, ${name}`),
	);
	expect(others).toEqual(MAY_END);
});
