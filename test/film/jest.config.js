/** The film of the package: what a person does with it in n8n's editor, from its installation on. */
module.exports = {
	...require('../kit/jest.js'),
	rootDir: '../..',
	roots: ['<rootDir>/test/film'],
	maxWorkers: 1,
	testTimeout: 900_000,
};
