import type { N8nApi } from '../../../../dev/stack/api';
import { LiveWorkflow } from '../../../kit/n8n/liveWorkflow';
import { n8nNode, webhookNode, workflowOf } from '../../../kit/n8n/workflow';

type Rows = Record<string, unknown>[];

/** Reads the rows of a spreadsheet, by the names of their columns, as n8n itself reads them. */
export async function spreadsheetReader(api: N8nApi): Promise<(file: string) => Promise<Rows>> {
	const fileSelector = '={{ $json.body.file }}';
	const rows = { operation: 'xlsx', binaryPropertyName: 'data', options: {} };
	const nodes = [
		webhookNode('Start', { responseData: 'allEntries' }),
		n8nNode('Read', 'readWriteFile', 1, { operation: 'read', fileSelector, options: {} }),
		n8nNode('Rows', 'extractFromFile', 1, rows),
	];
	const reader = await LiveWorkflow.start(
		api,
		workflowOf(nodes, [
			['Start', 'Read'],
			['Read', 'Rows'],
		]),
	);
	return async (file) => JSON.parse((await reader.send('Start', { file })).body) as Rows;
}
