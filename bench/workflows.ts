import { randomUUID } from 'node:crypto';

import type { WorkflowFile } from '../dev/stack/api';
import { DECISIONS } from '../nodes/IdentityVerification/contract/vocabulary';
import type { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import {
	actionNode,
	branchNode,
	loopNode,
	n8nNode,
	triggerNode,
	webhookNode,
	workflowOf,
} from '../test/kit/n8n/workflow';
import type { Connection, WorkflowNode } from '../test/kit/n8n/workflow';

/** IDs of credentials in n8n by their type. */
export type CredentialIds = Record<string, string>;

/** Which images are scanned, and how many at once. */
export interface ScanJob {
	/** Pattern of the files. */
	pattern: string;
	/** `AUTOMATIC` leaves it to the Scan operation. */
	parallel: number;
	/** Of the Scan operation; one for all unless it says so. */
	profile?: string;
}

/** As a number of requests at once: the Scan operation finds how many the service bears. */
export const AUTOMATIC = 0;

/** Names of nodes. */
export const START = 'Webhook';
export const TRIGGER = 'Trigger';
const DONE = 'Done';

const TYPE = 'identityVerificationApi';
export const PROFILE = 'sandbox-accept';

/** Executions aren't stored: it would be the larger part of what is measured. */
const NOT_STORED = { saveDataSuccessExecution: 'none', saveExecutionProgress: false };

/** Runs a workflow that answers when it's done. Resolves with how many milliseconds it took. */
export async function timeOf(workflow: LiveWorkflow, input: object = {}): Promise<number> {
	const started = performance.now();
	const { status, body } = await workflow.send(START, input);
	const elapsed = performance.now() - started;
	if (status !== 200) throw new Error(`n8n answered ${status}: ${body}`);
	return elapsed;
}

/** Webhook that answers when the workflow is done -> these nodes. */
function timedWorkflow(nodes: WorkflowNode[], connections: Connection[]): WorkflowFile {
	const start = webhookNode(START, { responseData: 'noData' });
	return workflowOf([start, ...nodes], connections, NOT_STORED);
}

/** Reads the files, and does nothing with them unless there are more nodes. */
export function filesWorkflow(
	pattern: string,
	nodes: WorkflowNode[] = [],
	connections: Connection[] = [],
): WorkflowFile {
	const parameters = { operation: 'read', fileSelector: pattern, options: {} };
	const files = n8nNode('Files', 'readWriteFile', 1.1, parameters);
	return timedWorkflow([files, ...nodes], [[START, 'Files'], ...connections]);
}

/** The Scan operation. */
export function scanWorkflow(
	{ pattern, parallel, profile = PROFILE }: ScanJob,
	ids: CredentialIds,
): WorkflowFile {
	const parameters = {
		operation: 'scan',
		profile,
		documentSource: 'binary',
		documentBinaryField: 'data',
		output: 'simplified',
		options: { maxParallelRequests: parallel },
	};
	const scan = actionNode('Scan', { parameters, credentialId: ids[TYPE] });
	return filesWorkflow(pattern, [scan], [['Files', 'Scan']]);
}

/**
 * The same with n8n's own nodes. HTTP Request sends all its items at once: only a loop limits
 * how many that are.
 */
export function httpRequestWorkflow(
	{ pattern, parallel }: ScanJob,
	ids: CredentialIds,
	serviceUrl: string,
): WorkflowFile {
	const extract = n8nNode('Extract', 'extractFromFile', 1.1, {
		operation: 'binaryToPropery',
		binaryPropertyName: 'data',
		destinationKey: 'image',
		// Without this, n8n searches the whole image for its character set: seconds for 20 MB.
		options: { encoding: 'utf8' },
	});
	const request = n8nNode('Scan', 'httpRequest', 4.2, {
		method: 'POST',
		url: `${serviceUrl}/scan`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: TYPE,
		sendBody: true,
		bodyParameters: {
			parameters: [
				{ name: 'profile', value: PROFILE },
				{ name: 'document', value: '={{ $json.image }}' },
			],
		},
		options: {},
	});
	const nodes = [loopNode('Loop', parallel), extract, withCredential(request, TYPE, ids)];
	return filesWorkflow(pattern, nodes, [
		['Files', 'Loop'],
		['Loop', 'Extract', 1],
		['Extract', 'Scan'],
		['Scan', 'Loop'],
	]);
}

/** Downloads a file. */
export function downloadWorkflow(fileUrl: string, ids: CredentialIds): WorkflowFile {
	const files = [{ name: 'large', fileName: 'large.bin', fileUrl }];
	const raw = { mode: 'raw', jsonOutput: JSON.stringify({ files }), options: {} };
	const parameters = { operation: 'downloadFiles', options: { maxFileSize: 1_000 } };
	return timedWorkflow(
		[
			n8nNode('Result', 'set', 3.4, raw),
			actionNode('Download', { parameters, credentialId: ids[TYPE] }),
		],
		[
			[START, 'Result'],
			['Result', 'Download'],
		],
	);
}

/** The trigger, which asks for a secret. Each of its outputs leads to a node that does nothing. */
export function triggerWorkflow(ids: CredentialIds): WorkflowFile {
	const parameters = { authentication: 'webhookSecret' };
	const trigger = triggerNode(TRIGGER, { parameters, credentialId: ids[TYPE] });
	return workflowOf([trigger, branchNode(DONE)], branchesOf(TRIGGER));
}

/** The same with n8n's own nodes. */
export function switchWorkflow(ids: CredentialIds): WorkflowFile {
	const parameters = { authentication: 'headerAuth', responseMode: 'onReceived' };
	// Of the version that n8n's editor adds.
	const webhook = { ...webhookNode(START, parameters), typeVersion: 2.1 };
	return workflowOf(
		[withCredential(webhook, 'httpHeaderAuth', ids), switchNode(), branchNode(DONE)],
		[[START, 'Switch'], ...branchesOf('Switch')],
	);
}

function branchesOf(from: string): Connection[] {
	return DECISIONS.map((_, output) => [from, DONE, output]);
}

/** Switch with an output for each decision. */
function switchNode(): WorkflowNode {
	const values = DECISIONS.map((rightValue) => ({
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			conditions: [
				{
					id: randomUUID(),
					leftValue: '={{ $json.body.decision }}',
					rightValue,
					operator: { type: 'string', operation: 'equals' },
				},
			],
			combinator: 'and',
		},
		renameOutput: true,
		outputKey: rightValue,
	}));
	return n8nNode('Switch', 'switch', 3.2, { mode: 'rules', rules: { values }, options: {} });
}

/** The same node with a credential of a type that n8n brings, or of the package's. */
function withCredential(node: WorkflowNode, type: string, ids: CredentialIds): WorkflowNode {
	return { ...node, credentials: { [type]: { id: ids[type] ?? null, name: type } } };
}
