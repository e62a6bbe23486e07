import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { poll } from '../../dev/stack/poll';

const MAIN = join(__dirname, '../../dev/sandbox/main.ts');

it('says what is where, and ends on a signal', async () => {
	const env = { ...process.env, SANDBOX_PORT: '0', SANDBOX_FILES_PORT: '0' };
	const child = spawn(process.execPath, ['--import', 'tsx', MAIN], { env, stdio: 'pipe' });
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	try {
		const options = { what: 'the sandbox to start', timeoutMs: 60_000 };
		await poll(async () => output.includes('Ctrl+C') || undefined, options);
		const url = /Base URL +(\S+)/.exec(output)?.[1] ?? '';

		expect((await fetch(`${url}/portal`)).status).toBe(200);
		for (const part of ['sandbox-key', `${url}/portal`, 'sandbox-aml']) {
			expect(output).toContain(part);
		}
		const ended = once(child, 'exit');
		child.kill('SIGTERM');
		expect(await ended).toEqual([0, null]);
	} finally {
		child.kill('SIGKILL');
	}
});
