const { env } = require('node:process');

/**
 * What all runs of Jest have in common. `npm run test:slow` runs what the others leave out, and more
 * of what is random.
 */
module.exports = {
	testMatch: [env.TEST_SLOW ? '**/*.@(slow|random).test.ts' : '**/!(*.slow).test.ts'],
	testEnvironment: 'node',
	// Types are checked by `tsc`.
	transform: { '\\.ts$': ['ts-jest', { tsconfig: 'test/tsconfig.json', diagnostics: false }] },
};
