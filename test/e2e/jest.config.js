/** Tests against the packed package in a real n8n, one after the other. Needs `dev/install.mjs dev/n8n`. */
module.exports = {
	rootDir: '../..',
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.test.ts'],
	testEnvironment: 'node',
	// Types are checked by `tsc`.
	transform: { '\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json', diagnostics: false }] },
	globalSetup: '<rootDir>/test/e2e/startStack.ts',
	globalTeardown: '<rootDir>/test/e2e/stopStack.ts',
	maxWorkers: 1,
	testTimeout: 600_000,
};
