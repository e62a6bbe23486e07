/** What all runs of Jest have in common. */
module.exports = {
	testMatch: ['**/*.test.ts'],
	testEnvironment: 'node',
	// Types are checked by `tsc`.
	transform: { '\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json', diagnostics: false }] },
};
