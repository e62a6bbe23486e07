import { rm } from 'node:fs/promises';

/** Jest's global teardown. */
module.exports = async () => {
	if (process.env.TEST_FOLDER) await rm(process.env.TEST_FOLDER, { recursive: true, force: true });
};
