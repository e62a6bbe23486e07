import type { WorkflowFile } from '../../../dev/stack/api';
import { branchNode, triggerNode, waitNode, workflowOf } from '../n8n/workflow';

const TRIGGER = 'Verification Completed';

/** The node that each event arrives at, whatever its decision. */
export const HANDLE = 'Handle';

/** A workflow that each event starts, and that takes a number of seconds for it. */
export function eventWorkflow(credentialId: string, seconds: number): WorkflowFile {
	return workflowOf(
		[
			triggerNode(TRIGGER, { credentialId, parameters: { authentication: 'webhookSecret' } }),
			seconds > 0 ? waitNode(HANDLE, seconds) : branchNode(HANDLE),
		],
		[0, 1, 2].map((output) => [TRIGGER, HANDLE, output]),
	);
}

/** Path of its trigger's production URL. */
export function eventPath({ nodes }: WorkflowFile): string {
	return `/webhook/${nodes.find(({ name }) => name === TRIGGER)?.webhookId}/webhook`;
}
