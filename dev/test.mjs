import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { argv, env, execPath, exit } from 'node:process';

/**
 * `npm test`: lint and types beside Jest, which waits more than it works. What they have to say
 * comes after Jest's report. Arguments are Jest's.
 */
const others = ['lint', 'typecheck'].map((script) =>
	run(env.npm_execpath, ['run', script], 'pipe'),
);
const jest = run('node_modules/jest/bin/jest.js', argv.slice(2), 'inherit');
const results = [await jest];
for (const other of others) {
	const { output, code } = await other;
	console.log(output);
	results.push({ code });
}
exit(results.every(({ code }) => code === 0) ? 0 : 1);

async function run(program, args, stdio) {
	const child = spawn(execPath, [program, ...args], { stdio: ['ignore', stdio, stdio] });
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream?.setEncoding('utf8').on('data', (text) => (output += text));
	}
	const [code] = await once(child, 'close');
	return { output, code };
}
