import { rm } from 'node:fs/promises';

import { takeStack } from './stackKeeper';

/** Jest's global teardown. */
module.exports = async () => {
	const kept = takeStack();
	if (!kept) return;
	await kept.stack.stop();
	await rm(kept.folder, { recursive: true, force: true });
};
