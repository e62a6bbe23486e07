import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod/v4';

import { workflowFile } from '../../../dev/stack/api';

export const EXAMPLES = join(__dirname, '..', '..', '..', 'examples');

const outputs = z.array(z.array(z.object({ node: z.string() }))).optional();

const exampleFile = workflowFile.extend({
	connections: z.record(z.string(), z.object({ main: outputs, ai_tool: outputs })),
});
export type ExampleNode = z.infer<typeof exampleFile>['nodes'][number];
export type ExampleWorkflow = z.infer<typeof exampleFile> & { file: string };

export const exampleFolders = readdirSync(EXAMPLES, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);

/** All workflows of the examples, with their files as `folder/name.json`. */
export const exampleWorkflows: ExampleWorkflow[] = exampleFolders.flatMap((folder) =>
	readdirSync(join(EXAMPLES, folder))
		.filter((name) => name.endsWith('.json'))
		.map((name) => {
			const file = `${folder}/${name}`;
			return { ...exampleFile.parse(JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8'))), file };
		}),
);

/** All texts in the parameters of a node, by the keys that lead to them. */
export function textsIn(value: unknown, path = ''): { path: string; text: string }[] {
	if (typeof value === 'string') return [{ path, text: value }];
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([key, inner]) =>
		// The place in a list says nothing.
		textsIn(inner, Array.isArray(value) ? path : [path, key].filter(Boolean).join('.')),
	);
}
