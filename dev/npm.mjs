import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs npm in a folder, and shows what it prints. Rejects if it fails. */
export async function runNpm(title, args, folder) {
	console.log(`${title} ...`);
	const npm = spawn('npm', args, {
		cwd: folder,
		// What npm prints is about the work, and no output of the command that needs it.
		stdio: ['ignore', process.stderr, 'inherit'],
		shell: process.platform === 'win32',
	});
	const [code, signal] = await once(npm, 'close');
	if (code === 0) return;
	throw new Error(`${title} failed: npm ${args.join(' ')} ended with ${code ?? signal}.`);
}
