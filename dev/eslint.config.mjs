// Beside n8n's own configuration, which forbids all imports but n8n's and so can't apply to what isn't
// shipped, and doesn't look at how long a regular expression can take.
import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
	{
		files: ['dev/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'],
		extends: [tseslint.configs.strict, tseslint.configs.stylistic],
		rules: { '@typescript-eslint/consistent-type-imports': 'error' },
	},
	{
		// What the package reads can be a stranger's, and a regular expression can take the square of
		// its length.
		files: ['nodes/**/*.ts', 'credentials/**/*.ts'],
		extends: [tseslint.configs.base],
		plugins: { regexp },
		rules: {
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential' }],
		},
	},
);
