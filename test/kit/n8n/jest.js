/** For tests with one real n8n, one after the other. Needs `dev/install.mjs dev/n8n`. */
module.exports = {
	...require('../jest.js'),
	rootDir: '../..',
	globalSetup: '<rootDir>/test/kit/n8n/startStack.ts',
	globalTeardown: '<rootDir>/test/kit/n8n/stopStack.ts',
	maxWorkers: 1,
	testTimeout: 600_000,
};
