import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { argv, env, execPath, exit } from 'node:process';

/**
 * `npm run test:slow`: the tests whose files end in `.slow.test.ts`, and more runs of those in
 * `.random.test.ts`; in process, in a real n8n and its editor, and in queue mode. Arguments are Jest's.
 */
const CONFIGS = [
	'jest.config.js',
	...['test/e2e', 'test/ui', 'test/queue'].map((folder) => `${folder}/jest.config.js`),
];

const codes = [];
for (const config of CONFIGS) {
	const args = ['--config', config, '--passWithNoTests', ...argv.slice(2)];
	const jest = spawn(execPath, ['node_modules/jest/bin/jest.js', ...args], {
		env: { ...env, TEST_SLOW: '1' },
		stdio: 'inherit',
	});
	codes.push((await once(jest, 'close'))[0]);
}
exit(codes.every((code) => code === 0) ? 0 : 1);
