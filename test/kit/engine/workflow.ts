import { createHash, randomUUID } from 'node:crypto';

import type {
	ICredentialDataDecryptedObject,
	ICredentialType,
	INode,
	INodeParameters,
	INodeType,
	INodeTypes,
	IWorkflowSettings,
} from 'n8n-workflow';
import { NodeConnectionTypes, Workflow } from 'n8n-workflow';

/** Name of the package that the types are said to come from, as n8n prefixes them. */
export const PACKAGE_NAME = 'n8n-nodes-identity-verification';
export const NODE_NAME = 'Node Under Test';
export const START_NAME = 'Start';

export type NodeSource = INodeType | (new () => INodeType);

export interface Credential {
	type: ICredentialType;
	values: ICredentialDataDecryptedObject;
	/** What n8n fails with when the credential is read, such as for a database that is away. */
	failure?: Error;
	/** How often it can be read before that. */
	failsAfter?: number;
}

/** What a user sets on a node, beside its parameters. */
export type NodeSettings = Partial<
	Pick<INode, 'onError' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries' | 'alwaysOutputData'>
>;

export interface NodeSetup {
	/** A node class or an instance of one. */
	node: NodeSource;
	/** Missing parameters get their defaults, as in n8n. */
	parameters?: INodeParameters;
	credential?: Credential;
	/** ID by which n8n stores the credential. */
	credentialId?: string;
	settings?: NodeSettings;
	workflowSettings?: IWorkflowSettings;
}

/**
 * The pace of a service is learned for a credential: no test may know what another one has learned.
 */
export function credentialIdOfTest(): string {
	const test = expect.getState().currentTestName ?? '';
	return createHash('sha256').update(test).digest('hex').slice(0, 16);
}

/** A real workflow: a start node that hands its items on to the node under test. */
export function createWorkflow(setup: NodeSetup) {
	const { node, parameters = {}, credential, settings } = setup;
	const nodeType = typeof node === 'function' ? new node() : node;
	const { name, version } = nodeType.description;
	const underTest: INode = {
		// The same for every run: a workflow keeps the IDs of its nodes.
		id: 'node-under-test',
		name: NODE_NAME,
		type: `${PACKAGE_NAME}.${name}`,
		typeVersion: [version].flat().at(-1) ?? 1,
		position: [200, 0],
		webhookId: randomUUID(),
		parameters,
		...(credential && {
			credentials: {
				[credential.type.name]: {
					id: setup.credentialId ?? credentialIdOfTest(),
					name: 'Credential of the test',
				},
			},
		}),
		...settings,
	};
	const workflow = new Workflow({
		id: randomUUID(),
		name: 'Workflow of the test',
		nodes: [newStartNode(), underTest],
		connections: {
			[START_NAME]: { main: [[{ node: NODE_NAME, type: NodeConnectionTypes.Main, index: 0 }]] },
		},
		active: false,
		nodeTypes: nodeTypes({ [underTest.type]: nodeType, [START_TYPE]: start }),
		settings: { executionOrder: 'v1', ...setup.workflowSettings },
	});
	return { workflow, nodeType, node: nodeOf(workflow, NODE_NAME) };
}

/** The node as the workflow holds it, with default parameters filled in. */
export function nodeOf(workflow: Workflow, name: string): INode {
	const node = workflow.getNode(name);
	if (!node) throw new Error(`The workflow has no node "${name}"`);
	return node;
}

export function nodeTypes(types: Record<string, INodeType>): INodeTypes {
	const find = (type: string): INodeType => {
		const found = types[type];
		if (!found) throw new Error(`The test knows no node type "${type}"`);
		return found;
	};
	return { getByName: find, getByNameAndVersion: find, getKnownTypes: () => ({}) };
}

export const START_TYPE = `${PACKAGE_NAME}.start`;

const newStartNode = (): INode => ({
	id: randomUUID(),
	name: START_NAME,
	type: START_TYPE,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
});

/** Hands its items on. */
export const start: INodeType = {
	description: {
		displayName: 'Start',
		name: 'start',
		group: ['trigger'],
		version: 1,
		description: 'Hands its items on',
		defaults: { name: 'Start' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		properties: [],
	},
	async execute() {
		return [this.getInputData()];
	},
};
