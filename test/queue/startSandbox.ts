import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { startSandbox } from '../../dev/sandbox';
import { addressOf } from '../../dev/sandbox/client';
import { ROOT } from '../../dev/stack/paths';

/** Jest's global setup. In the tests themselves the sandbox would be slow. */
module.exports = async () => {
	// A signal alone would end Jest without its exit handlers, and leave n8n running.
	for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));
	await promisify(execFile)(process.execPath, ['dev/build.mjs'], { cwd: ROOT });
	const sandbox = await startSandbox({ port: 0, filesPort: 0 });
	process.env.QUEUE_TEST_SANDBOX = JSON.stringify(addressOf(sandbox));
	(globalThis as { queueSandbox?: unknown }).queueSandbox = sandbox;
};
