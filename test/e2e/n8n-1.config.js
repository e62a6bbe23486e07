process.env.N8N_FOLDER = 'dev/n8n-1';
// Fewer than in the newest n8n, because only how n8n hands a body over can differ.
process.env.FUZZ_HTTP_RUNS ??= '300';

/** These do without an n8n, so another one changes nothing in them. */
const WITHOUT_N8N = ['publish.test.ts', 'tarball.test.ts', 'sandboxPages.test.ts'];

/** Tests of the operation Wait for Result, which needs n8n 2.39. */
const WAITING = ['/waitForResult'];

/** They use nodes that n8n 1 doesn't have, or publish what can't be published there. */
const NEEDS_N8N_2 = [
	'examples/manualReview.test.ts',
	'examples/skipRepeatedResults.test.ts',
	'examples/whenSomethingFails.test.ts',
];

/**
 * The same tests in the last n8n of the 1 line, but for `npm start`, which is for the pinned n8n
 * alone, n8n's report on its version 3, the pictures, because its editor looks different, and the
 * batch in which n8n is killed.
 */
module.exports = {
	...require('./jest.config'),
	testPathIgnorePatterns: [
		...WITHOUT_N8N,
		...WAITING,
		...NEEDS_N8N_2,
		'start.test.ts',
		'examples/editor.test.ts',
		'examples/import.test.ts',
		'examples/longBatch.test.ts',
		'examples/nextMajor.test.ts',
	],
};
