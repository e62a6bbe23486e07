// What the package reads can be a stranger's, and a regular expression can take the square of its
// length. n8n's own configuration, which the package is linted with, doesn't look at that.
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config({
	files: ['**/*.ts'],
	extends: [tseslint.configs.base],
	plugins: { regexp },
	rules: {
		'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
		'regexp/no-super-linear-move': ['error', { report: 'potential' }],
	},
});
