import type { N8nApi } from '../../../dev/stack/api';
import { LiveWorkflow } from '../n8n/liveWorkflow';
import { webhookNode, workflowOf } from '../n8n/workflow';

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
	const node = (name: string, type: string, parameters: object) => ({
		...webhookNode(name),
		type: `n8n-nodes-base.${type}`,
		typeVersion: 1,
		parameters: { ...parameters, options: {} },
	});
	return workflowOf(
		[
			webhookNode('Start', { responseData: 'allEntries' }),
			node('Read', 'readWriteFile', { operation: 'read', fileSelector: '={{ $json.body.file }}' }),
			node('Rows', 'extractFromFile', { operation: 'xlsx', binaryPropertyName: 'data' }),
		],
		[
			['Start', 'Read'],
			['Read', 'Rows'],
		],
	);
}
