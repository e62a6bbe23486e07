import type { WorkflowFile } from '../dev/stack/api';
import { actionStep, webhookStep, workflowOf } from './workflows';
import type { Step } from './workflows';

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

/** Webhook that answers when the workflow is done -> the images' files -> what `steps` hold. */
function fileWorkflow(
	name: string,
	pattern: string,
	steps: Step[],
	credentialIds: Record<string, string>,
): WorkflowFile {
	const first = steps[0]?.name;
	const path = name.toLowerCase().replace(/\W+/g, '-');
	const parameters = { path, responseMode: 'lastNode', responseData: 'noData' };
	const all = [
		webhookStep(parameters, [['Files']]),
		{
			name: 'Files',
			type: 'n8n-nodes-base.readWriteFile',
			typeVersion: 1.1,
			parameters: { operation: 'read', fileSelector: pattern, options: {} },
			to: first === undefined ? [] : [[first]],
		},
		...steps,
	];
	return workflowOf(name, all, credentialIds, NOT_STORED);
}

/** Reads the files and does nothing with them: what both ways have in common. */
export function readOnly({ pattern }: ScanJob, ids: Record<string, string>): WorkflowFile {
	return fileWorkflow('Read only', pattern, [], ids);
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
	return fileWorkflow('Scan node', pattern, [actionStep(parameters)], ids);
}

/** How HTTP Request spreads its requests. */
export interface Batching {
	items: number;
	/** From the start of a batch to that of the next, in milliseconds. */
	intervalMs: number;
}

/**
 * The same with n8n's own nodes. HTTP Request sends all its items at once, or a batch after each
 * interval whether or not the last one is answered: only a loop limits how many are sent at once.
 */
export function httpRequest(
	{ pattern, parallel }: ScanJob,
	ids: Record<string, string>,
	serviceUrl: string,
): WorkflowFile {
	const loop: Step = {
		name: 'Loop',
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: parallel, options: {} },
		to: [[], ['Extract']],
	};
	const steps = [loop, EXTRACT, { ...requestStep(serviceUrl, {}), to: [['Loop']] }];
	return fileWorkflow('HTTP Request', pattern, steps, ids);
}

/** The same with HTTP Request's own Batching in place of the loop. */
export function batchedHttpRequest(
	pattern: string,
	batching: Batching,
	ids: Record<string, string>,
	serviceUrl: string,
): WorkflowFile {
	const batch = { batchSize: batching.items, batchInterval: batching.intervalMs };
	const steps = [EXTRACT, requestStep(serviceUrl, { batching: { batch } })];
	return fileWorkflow('Batched HTTP Request', pattern, steps, ids);
}

const EXTRACT: Step = {
	name: 'Extract',
	type: 'n8n-nodes-base.extractFromFile',
	typeVersion: 1.1,
	parameters: {
		operation: 'binaryToPropery',
		binaryPropertyName: 'data',
		destinationKey: 'image',
		// Without this, n8n searches the whole image for its character set: seconds for 20 MB.
		options: { encoding: 'utf8' },
	},
	to: [['Scan']],
};

/** The HTTP Request node, which sends what `EXTRACT` puts out. */
function requestStep(serviceUrl: string, options: object): Step {
	return {
		name: 'Scan',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: `${serviceUrl}/scan`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'identityVerificationApi',
			sendBody: true,
			bodyParameters: {
				parameters: [
					{ name: 'profile', value: PROFILE },
					{ name: 'document', value: '={{ $json.image }}' },
				],
			},
			options,
		},
		credentials: ['identityVerificationApi'],
	};
}
