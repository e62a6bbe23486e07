import type { N8nApi } from '../../../dev/stack/api';
import { LiveWorkflow } from '../n8n/liveWorkflow';
import { n8nNode, webhookNode, workflowOf } from '../n8n/workflow';

/** Reads spreadsheets as n8n itself reads them. */
export class Spreadsheets {
	private constructor(private readonly workflow: LiveWorkflow) {}

	/** Starts the workflow that reads them. */
	static async start(api: N8nApi): Promise<Spreadsheets> {
		return new Spreadsheets(await LiveWorkflow.start(api, reader()));
	}

	/** The rows of a file, by the names of their columns. */
	async rows(file: string): Promise<Record<string, unknown>[]> {
		const { body } = await this.workflow.send('Start', { file });
		return JSON.parse(body) as Record<string, unknown>[];
	}
}

function reader() {
	const fileSelector = '={{ $json.body.file }}';
	const rows = { operation: 'xlsx', binaryPropertyName: 'data', options: {} };
	return workflowOf(
		[
			webhookNode('Start', { responseData: 'allEntries' }),
			n8nNode('Read', 'readWriteFile', 1, { operation: 'read', fileSelector, options: {} }),
			n8nNode('Rows', 'extractFromFile', 1, rows),
		],
		[
			['Start', 'Read'],
			['Read', 'Rows'],
		],
	);
}
