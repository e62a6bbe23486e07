/** Tests against the source. test/e2e, test/ui and test/queue need a whole n8n and run by their own scripts. */
module.exports = {
	...require('./test/kit/jest.js'),
	roots: ['<rootDir>/test'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|film|queue|ui)/'],
	globalSetup: '<rootDir>/test/kit/engine/createTestFolder.ts',
	globalTeardown: '<rootDir>/test/kit/engine/removeTestFolder.ts',
	setupFiles: ['<rootDir>/test/kit/engine/environment.ts'],
	// Twice as many as two cores, because some tests wait for a Timeout or for a pause of the pace.
	maxWorkers: 4,
	testTimeout: 120_000,
};
