import type { N8nApi } from '../../../dev/stack/api';
import { LiveWorkflow } from './liveWorkflow';
import { actionNode, imageNodes, webhookNode, workflowOf } from './workflow';
import type { NodeOptions } from './workflow';

export const START = 'Start';
export const SCAN = 'Scan';

/** What the workflow of `startScans` makes its items of. */
export function imagesBody(files: Buffer[]): { images: string[] } {
	return { images: files.map((file) => file.toString('base64')) };
}

/** A workflow that scans what it is sent, each file in an item of its own. */
export async function startScans(
	api: N8nApi,
	{ parameters, ...options }: NodeOptions,
	responseMode = 'lastNode',
): Promise<LiveWorkflow> {
	const { nodes, connections } = imageNodes(START, 'Image');
	const scan = actionNode(SCAN, {
		...options,
		parameters: { operation: 'scan', profile: 'sandbox-accept', ...parameters },
	});
	const file = workflowOf(
		[webhookNode(START, { responseMode }), ...nodes, scan],
		[...connections, ['Image', SCAN]],
	);
	return await LiveWorkflow.start(api, file);
}
