import { z } from 'zod/v4';

import { DECISIONS } from '../../../../nodes/IdentityVerification/contract/vocabulary';
import { DECISION_OUTPUTS } from '../../../../nodes/IdentityVerification/result/outputs';
import { WAITING_OUTPUTS } from '../../../../nodes/IdentityVerification/actions/waitForResult/waitingOutputs';
import type { WorkflowFile } from '../../../../dev/stack/api';

const MANUAL_TRIGGER = 'n8n-nodes-base.manualTrigger';
const EDIT_FIELDS = 'n8n-nodes-base.set';
const PACKAGE = 'n8n-nodes-identity-verification.';

/** Keys that depend on the document: a sample has only some of them. */
const OPEN_OBJECTS = ['fields'];

const connections = z.record(
	z.string(),
	z.object({ main: z.array(z.array(z.object({ node: z.string() })).nullable()).optional() }),
);
const json = z.record(z.string(), z.unknown());

type WorkflowNode = WorkflowFile['nodes'][number];

/** An invented result in the part of an example that can be tried without the service. */
export interface Sample {
	/** Name of its Edit Fields node. */
	name: string;
	json: Record<string, unknown>;
	/** The outputs of nodes of this package that lead to just the same nodes. */
	standsFor: { node: WorkflowNode; decision: string }[];
}

/** The samples of an example: Edit Fields nodes with JSON that its Manual Trigger leads to. */
export function samplesOf(workflow: WorkflowFile): Sample[] {
	const next = connections.parse(workflow.connections);
	const nodesBehind = (name: string) => targets(next, name).flat();
	const found = new Set<WorkflowNode>();
	const open = workflow.nodes.filter(({ type }) => type === MANUAL_TRIGGER);
	for (const node of open) {
		for (const name of nodesBehind(node.name)) {
			const target = workflow.nodes.find((candidate) => candidate.name === name);
			if (!target) continue;
			if (target.type === EDIT_FIELDS && target.parameters.mode === 'raw') found.add(target);
			else if (!open.includes(target)) open.push(target);
		}
	}
	return [...found].map(({ name, parameters }) => ({
		name,
		json: json.parse(JSON.parse(String(parameters.jsonOutput))),
		standsFor: outputsWith(workflow, nodesBehind(name)),
	}));
}

/** Where the keys or types of a sample differ from those of a real item; empty if it's like one. */
export function differences(sample: unknown, real: unknown, path = 'the item'): string[] {
	if (Array.isArray(sample) && Array.isArray(real)) {
		const isUnlike = (entry: unknown) => !real.some((other) => isLike(entry, other));
		return sample.filter(isUnlike).map((entry) => `${path} never has ${JSON.stringify(entry)}`);
	}
	if (isObject(sample) && isObject(real)) {
		const isOpen = OPEN_OBJECTS.includes(path.split('.').at(-1) ?? '');
		const missing = isOpen ? [] : Object.keys(real).filter((key) => !(key in sample));
		return [
			...missing.map((key) => `${path}.${key} is missing`),
			...Object.entries(sample).flatMap(([key, value]) =>
				key in real ? differences(value, real[key], `${path}.${key}`) : `${path} has no ${key}`,
			),
		];
	}
	return typeName(sample) === typeName(real) ? [] : [`${path} is ${typeName(real)}`];
}

function isLike(sample: unknown, real: unknown): boolean {
	return differences(sample, real).length === 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
	return typeName(value) === 'object';
}

function typeName(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'list' : typeof value;
}

function outputsWith(workflow: WorkflowFile, names: string[]): Sample['standsFor'] {
	const next = connections.parse(workflow.connections);
	const wanted = [...names].sort().join();
	return workflow.nodes
		.filter(({ type }) => type.startsWith(PACKAGE))
		.flatMap((node) =>
			targets(next, node.name).flatMap((behind, output) =>
				[...behind].sort().join() === wanted ? { node, decision: decisionAt(node, output) } : [],
			),
		);
}

/** The decision of the items at an output; empty for No Result. */
function decisionAt({ parameters }: WorkflowNode, output: number): string {
	const ahead =
		parameters.operation === 'waitForResult' ? WAITING_OUTPUTS.length - DECISION_OUTPUTS.length : 0;
	return DECISIONS[output - ahead] ?? '';
}

/** Names of the nodes behind each output of a node. */
function targets(next: z.infer<typeof connections>, name: string): string[][] {
	return (next[name]?.main ?? []).map((output) => (output ?? []).map(({ node }) => node));
}
