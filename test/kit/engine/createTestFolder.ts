import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Jest's global setup: one temporary folder for all workers of a run. */
module.exports = async () => {
	process.env.TEST_FOLDER = await mkdtemp(join(tmpdir(), 'identity-verification-test-'));
};
