/**
 * Tests against the packed package in n8n's queue mode. Needs PostgreSQL, Redis and
 * `dev/install.mjs dev/n8n`.
 */
module.exports = {
	...require('../kit/jest.js'),
	rootDir: '../..',
	roots: ['<rootDir>/test/queue'],
	globalSetup: '<rootDir>/test/queue/startSandbox.ts',
	globalTeardown: '<rootDir>/test/queue/stopSandbox.ts',
	maxWorkers: 1,
	testTimeout: 1_800_000,
};
