/** Tests against the source. test/e2e, test/ui, test/queue and test/bench need a whole n8n and run by their own scripts. */
module.exports = {
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(e2e|ui|queue|bench)/'],
	testEnvironment: 'node',
	// Types are checked by `tsc`.
	transform: { '\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json', diagnostics: false }] },
	globalSetup: '<rootDir>/test/support/createTestFolder.ts',
	globalTeardown: '<rootDir>/test/support/removeTestFolder.ts',
	setupFiles: ['<rootDir>/test/support/environment.ts'],
	maxWorkers: 2,
	testTimeout: 120_000,
};
