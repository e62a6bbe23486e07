// For what isn't shipped. The package itself is linted with n8n's own configuration, which forbids
// all imports but n8n's and so can't apply here.
import tseslint from 'typescript-eslint';

export default tseslint.config({
	files: ['**/*.ts'],
	extends: [tseslint.configs.strict, tseslint.configs.stylistic],
	rules: { '@typescript-eslint/consistent-type-imports': 'error' },
});
