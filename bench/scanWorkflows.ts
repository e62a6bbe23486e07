import type { WorkflowFile } from '../dev/stack/api';
import { actionNode, loopNode, n8nNode, withCredential } from './workflows';
import { namedWorkflow, webhookStart } from './workflows';
import type { Link, WorkflowNode } from './workflows';

/** Which images are scanned, and how many at once. */
export interface ScanJob {
	/** Pattern of the files. */
	pattern: string;
	/** `AUTOMATIC` leaves it to the Scan operation. */
	parallel: number;
	output?: 'simplified' | 'decisionOnly';
}

/** As a number of requests at once: the Scan operation finds how many the service bears. */
export const AUTOMATIC = 0;

const PROFILE = 'sandbox-accept';

/** Executions aren't stored: it would be the larger part of what is measured. */
const NOT_STORED = { saveDataSuccessExecution: 'none', saveExecutionProgress: false };

/** Webhook that answers when the workflow is done -> the images' files -> these nodes. */
function fileWorkflow(
	name: string,
	pattern: string,
	nodes: WorkflowNode[],
	links: Link[],
): WorkflowFile {
	const path = name.toLowerCase().replace(/\W+/g, '-');
	const start = webhookStart({ path, responseMode: 'lastNode', responseData: 'noData' });
	const parameters = { operation: 'read', fileSelector: pattern, options: {} };
	const files = n8nNode('Files', 'readWriteFile', 1.1, parameters);
	const all: Link[] = [[start.name, files.name], ...links];
	return namedWorkflow(name, [start, files, ...nodes], all, NOT_STORED);
}

/** Reads the files and does nothing with them: what both ways have in common. */
export function readOnly({ pattern }: ScanJob): WorkflowFile {
	return fileWorkflow('Read only', pattern, [], []);
}

/** The Scan operation. */
export function scanNode(job: ScanJob, ids: Record<string, string>): WorkflowFile {
	const { pattern, parallel, output = 'simplified' } = job;
	const parameters = {
		operation: 'scan',
		profile: PROFILE,
		documentSource: 'binary',
		documentBinaryField: 'data',
		output,
		options: { maxParallelRequests: parallel },
	};
	const credentialId = ids.identityVerificationApi;
	const scan = actionNode('Scan', { parameters, credentialId });
	return fileWorkflow('Scan node', pattern, [scan], [['Files', 'Scan']]);
}

/**
 * The same with n8n's own nodes. HTTP Request sends all its items at once: only a loop limits
 * how many that are.
 */
export function httpRequest(
	{ pattern, parallel }: ScanJob,
	ids: Record<string, string>,
	serviceUrl: string,
): WorkflowFile {
	const nodes = [loopNode('Loop', parallel), extractNode(), requestNode(serviceUrl, ids)];
	return fileWorkflow('HTTP Request', pattern, nodes, [
		['Files', 'Loop'],
		['Loop', 'Extract', 1],
		['Extract', 'Scan'],
		['Scan', 'Loop'],
	]);
}

function extractNode(): WorkflowNode {
	return n8nNode('Extract', 'extractFromFile', 1.1, {
		operation: 'binaryToPropery',
		binaryPropertyName: 'data',
		destinationKey: 'image',
		// Without this, n8n searches the whole image for its character set: seconds for 20 MB.
		options: { encoding: 'utf8' },
	});
}

/** Sends what `extractNode` returns. */
function requestNode(serviceUrl: string, ids: Record<string, string>): WorkflowNode {
	const type = 'identityVerificationApi';
	const node = n8nNode('Scan', 'httpRequest', 4.2, {
		method: 'POST',
		url: `${serviceUrl}/scan`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: type,
		sendBody: true,
		bodyParameters: {
			parameters: [
				{ name: 'profile', value: PROFILE },
				{ name: 'document', value: '={{ $json.image }}' },
			],
		},
		options: {},
	});
	return withCredential(node, type, ids);
}
