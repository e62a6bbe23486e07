import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Jest's global setup: one temporary folder for all workers of a run, and for all runs in a process,
 * such as Stryker's, because n8n keeps the folder that it was loaded with.
 */
module.exports = async () => {
	process.env.TEST_FOLDER ??= await mkdtemp(join(tmpdir(), 'identity-verification-test-'));
};
