const { mkdirSync } = require('node:fs');
const { createRequire } = require('node:module');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { env } = require('node:process');

const { TestEnvironment } = require('jest-environment-node');

// n8n-core reads these when it is loaded: a folder of its own for each worker, and a log that writes
// nothing. It is still told everything, and useLogs collects that.
const folder = join(env.TEST_FOLDER ?? tmpdir(), `worker-${env.JEST_WORKER_ID ?? 1}`);
mkdirSync(folder, { recursive: true });

env.N8N_USER_FOLDER = folder;
env.N8N_ENCRYPTION_KEY = 'encryption-key-of-the-tests';
env.N8N_LOG_LEVEL = 'silent';

const fromN8nCore = createRequire(require.resolve('n8n-core'));

/**
 * Jest loads the tests and the package anew for each file. Node.js loads n8n and the largest
 * libraries of the tests, and only once for each worker, because n8n alone has some two thousand
 * files: see loadedOnce.ts. Jest gives tests an Error, a Date and a process.env of their own; they
 * get n8n's, because n8n asks whether a value is an Error or a Date, and reads its environment.
 */
module.exports = class extends TestEnvironment {
	constructor(...options) {
		super(...options);
		const { global } = this;
		// What JavaScript itself throws in a test, such as a TypeError, is an Error for n8n, too.
		Object.setPrototypeOf(global.Error.prototype, Error.prototype);
		Object.assign(global, { Error, Date, fromN8nCore });
		global.process.env = env;
	}
};
