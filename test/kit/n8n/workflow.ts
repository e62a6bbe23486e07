import { randomUUID } from 'node:crypto';

import { workflowFile } from '../../../dev/stack/api';
import type { WorkflowFile } from '../../../dev/stack/api';

const PACKAGE = 'n8n-nodes-identity-verification';
const CREDENTIAL = 'identityVerificationApi';

export interface NodeOptions {
	parameters?: Record<string, unknown>;
	/** ID of the credential that a node of the package uses. */
	credentialId?: string;
	/** What a user sets on a node beside its parameters, such as `retryOnFail`. */
	settings?: Record<string, unknown>;
}

export type WorkflowNode = WorkflowFile['nodes'][number];

/**
 * From an output of one node (0 if missing) to another; or from a sub-node, with what it is to the
 * other.
 */
export type Connection = [
	from: string,
	to: string,
	output?: number | 'ai_languageModel' | 'ai_tool',
];

export function newWorkflowId(): string {
	return randomUUID().replaceAll('-', '').slice(0, 16);
}

/** A workflow of a new ID. */
export function workflowOf(
	nodes: WorkflowNode[],
	connections: Connection[] = [],
	settings: Record<string, unknown> = {},
): WorkflowFile {
	const id = newWorkflowId();
	return workflowFile.parse({
		id,
		name: `Workflow ${id}`,
		nodes,
		connections: byNode(connections),
		settings: { executionOrder: 'v1', ...settings },
	});
}

/** Path of the production URL of a trigger or Webhook node. */
export function webhookPath({ nodes }: WorkflowFile, nodeName: string): string {
	const found = nodes.find(({ name }) => name === nodeName);
	return `/webhook/${String(found?.parameters.path ?? `${found?.webhookId}/webhook`)}`;
}

/** An Identity Verification Trigger. */
export function triggerNode(name: string, options: NodeOptions = {}): WorkflowNode {
	return node(name, `${PACKAGE}.identityVerificationTrigger`, 2, {
		...options,
		parameters: { output: 'simplified', options: {}, ...options.parameters },
	});
}

/**
 * An Identity Verification node, with all results at one output unless the parameters say
 * otherwise.
 */
export function actionNode(name: string, options: NodeOptions = {}): WorkflowNode {
	const parameters = { branchOnDecision: false, ...options.parameters };
	return node(name, `${PACKAGE}.identityVerification`, 1, { ...options, parameters });
}

/** An Identity Verification node as the tool of an agent. */
export function agentToolNode(name: string, options: NodeOptions = {}): WorkflowNode {
	return node(name, `${PACKAGE}.identityVerificationTool`, 1, options);
}

/** n8n's AI Agent. */
export function agentNode(
	name: string,
	version: number,
	options: Record<string, unknown> = {},
): WorkflowNode {
	const parameters = { promptType: 'define', text: 'Verify the applicant.', options };
	return node(name, '@n8n/n8n-nodes-langchain.agent', version, { parameters });
}

/** n8n's OpenAI Chat Model, of the version that speaks chat completions alone. */
export function modelNode(name: string, credentialId: string): WorkflowNode {
	const model = { __rl: true, mode: 'id', value: 'model' };
	return node(name, '@n8n/n8n-nodes-langchain.lmChatOpenAi', 1.2, {
		parameters: { model, options: { maxRetries: 0 } },
		settings: { credentials: { openAiApi: { id: credentialId, name: 'Model' } } },
	});
}

/** n8n's own Webhook node. Answers when the workflow has ended, unless told otherwise. */
export function webhookNode(name: string, parameters: Record<string, unknown> = {}): WorkflowNode {
	const base = { httpMethod: 'POST', path: randomUUID(), responseMode: 'lastNode', options: {} };
	return n8nNode(name, 'webhook', 2, { ...base, ...parameters });
}

/** Makes an item of each entry of the list `images` in the body, and a file of its base64 text. */
export function imageNodes(
	start: string,
	last: string,
): { nodes: WorkflowNode[]; connections: Connection[] } {
	const split = n8nNode('Split', 'splitOut', 1, {
		fieldToSplitOut: 'body.images',
		options: { destinationFieldName: 'image' },
	});
	const convert = n8nNode(last, 'convertToFile', 1.1, {
		operation: 'toBinary',
		sourceProperty: 'image',
		binaryPropertyName: 'data',
		options: { fileName: 'document.jpg', mimeType: 'image/jpeg' },
	});
	return {
		nodes: [split, convert],
		connections: [
			[start, split.name],
			[split.name, last],
		],
	};
}

/** n8n's Loop Over Items: its output 1 is the loop. */
export function loopNode(name: string, batchSize = 1): WorkflowNode {
	return n8nNode(name, 'splitInBatches', 3, { batchSize, options: {} });
}

/** Starts a workflow by hand. */
export function manualNode(name: string): WorkflowNode {
	return n8nNode(name, 'manualTrigger', 1);
}

/** Waits before it hands its items on. */
export function waitNode(name: string, seconds: number): WorkflowNode {
	return n8nNode(name, 'wait', 1.1, { amount: seconds });
}

/** Sends a request to an address, and waits for its answer. */
export function requestNode(name: string, url: string): WorkflowNode {
	return n8nNode(name, 'httpRequest', 4.2, { url, options: {} });
}

/** Lets the execution fail. */
export function failNode(name: string): WorkflowNode {
	return n8nNode(name, 'stopAndError', 1, { errorMessage: 'Failed on purpose' });
}

/** A node that does nothing: it shows that its branch ran. */
export function branchNode(name: string): WorkflowNode {
	return n8nNode(name, 'noOp', 1);
}

/**
 * Copies its items. In the copies, n8n 2.20 shows what it hides in the output of a node of this
 * package.
 */
export function copyNode(name: string): WorkflowNode {
	return n8nNode(name, 'set', 3.4, { includeOtherFields: true, assignments: {}, options: {} });
}

/** One of n8n's own nodes, of a version that both n8n 1 and n8n 2 have. */
export function n8nNode(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown> = {},
): WorkflowNode {
	return node(name, `n8n-nodes-base.${type}`, typeVersion, { parameters });
}

function node(
	name: string,
	type: string,
	typeVersion: number,
	{ parameters = {}, credentialId, settings }: NodeOptions,
): WorkflowNode {
	return {
		id: randomUUID(),
		name,
		type,
		typeVersion,
		position: [0, 0],
		webhookId: randomUUID(),
		parameters,
		...(credentialId && {
			credentials: { [CREDENTIAL]: { id: credentialId, name: 'Identity Verification API' } },
		}),
		...settings,
	};
}

function byNode(connections: Connection[]): Record<string, Record<string, object[][]>> {
	const outputsByNode: Record<string, Record<string, object[][]>> = {};
	for (const [from, to, output = 0] of connections) {
		const [type, index] = typeof output === 'number' ? ['main', output] : [output, 0];
		const outputs = ((outputsByNode[from] ??= {})[type] ??= []);
		while (outputs.length <= index) outputs.push([]);
		outputs[index]?.push({ node: to, type, index: 0 });
	}
	return outputsByNode;
}

/** Makes an item with these values, which may be expressions. */
export function setNode(name: string, values: Record<string, string>): WorkflowNode {
	const assignments = Object.entries(values).map(([key, value]) => ({
		id: key,
		name: key,
		value,
		type: 'string',
	}));
	return n8nNode(name, 'set', 3.4, { assignments: { assignments }, options: {} });
}
