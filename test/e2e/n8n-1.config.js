process.env.N8N_FOLDER = 'dev/n8n-1';

/**
 * The same tests in the last n8n of the 1 line, but for `npm start`, which is for the pinned n8n
 * alone, and the pictures, because its editor looks different.
 */
module.exports = {
	...require('./jest.config'),
	testPathIgnorePatterns: ['start.test.ts', 'examples/editor.test.ts'],
};
