import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { WorkflowFile } from '../../../../dev/stack/api';
import { fillIn } from '../../../../dev/stack/examples';
import type { ExampleSettings } from '../../../../dev/stack/examples';
import { ROOT } from '../../../../dev/stack/paths';

/**
 * An example workflow as it is in the repository, or with what a user would set. All that is
 * replaced has to occur, but for addresses.
 */
export async function readExample(
	file: string,
	{ credentials, replace = {} }: ExampleSettings = {},
	addresses: Record<string, string> = {},
): Promise<WorkflowFile> {
	const text = await readFile(join(ROOT, 'examples', file), 'utf8');
	for (const placeholder of Object.keys(replace)) {
		if (!text.includes(placeholder)) throw new Error(`${file} has no ${placeholder}.`);
	}
	return fillIn(text, { credentials, replace: { ...replace, ...addresses } });
}
