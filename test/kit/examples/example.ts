import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { workflowFile } from '../../../dev/stack/api';
import type { WorkflowFile } from '../../../dev/stack/api';
import { withCredentials } from '../../../dev/stack/examples';
import { ROOT } from '../../../dev/stack/paths';

export interface ExampleSettings {
	/** IDs by credential type. */
	credentials?: Record<string, string>;
	/** What a user would replace, such as an address, and by what. Each has to occur. */
	replace?: Record<string, string>;
}

/** An example workflow as it is in the repository, or with what a user would set. */
export async function readExample(
	file: string,
	{ credentials = {}, replace = {} }: ExampleSettings = {},
): Promise<WorkflowFile> {
	let text = await readFile(join(ROOT, 'examples', file), 'utf8');
	for (const [placeholder, value] of Object.entries(replace)) {
		if (!text.includes(placeholder)) throw new Error(`${file} has no ${placeholder}.`);
		text = text.replaceAll(placeholder, value);
	}
	return withCredentials(workflowFile.parse(JSON.parse(text)), credentials);
}

/** Where a form is opened in a browser. */
export function formUrl(n8nUrl: string, { nodes }: WorkflowFile): string {
	const form = nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	return `${n8nUrl}/form/${form?.webhookId}`;
}
