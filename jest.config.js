/** Tests against the source. test/e2e, test/ui and test/queue need a whole n8n and run by their own scripts. */
module.exports = {
	...require('./test/kit/jest.js'),
	roots: ['<rootDir>/test'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|film|queue|ui)/'],
	globalSetup: '<rootDir>/test/kit/engine/createTestFolder.ts',
	globalTeardown: '<rootDir>/test/kit/engine/removeTestFolder.ts',
	testEnvironment: require.resolve('./test/kit/engine/environment.js'),
	setupFiles: ['<rootDir>/test/kit/engine/loadedOnce.ts'],
	// Two more than two cores, because many tests wait for a Timeout or for a pause of the pace.
	maxWorkers: 4,
	testTimeout: 120_000,
};
