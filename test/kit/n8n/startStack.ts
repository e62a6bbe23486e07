import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { addressOf } from '../../../dev/sandbox/client';
import { ROOT } from '../../../dev/stack/paths';
import { freePorts } from '../../../dev/stack/ports';
import { startStack } from '../../../dev/stack/stack';
import { requireChromium } from './browser';
import { DELETE_AT_ONCE, PATIENCE, TALKATIVE } from './n8nSettings';
import { HANDLE_VARIABLE } from './stack';
import type { Handle } from './stack';

const LOG_LINES = 60;

/** Jest's global setup: one n8n and one sandbox for all tests of a run. */
module.exports = async () => {
	// A signal alone would end Jest without its exit handlers, and leave n8n running.
	for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));
	await requireChromium();
	await promisify(execFile)(process.execPath, ['dev/build.mjs'], { cwd: ROOT });
	const folder = await mkdtemp(join(tmpdir(), 'identity-verification-e2e-'));
	const [n8nPort = 0] = await freePorts(1);
	const ports = { n8nPort, sandboxPort: 0, sandboxFilesPort: 0 };
	const stack = await startStack({
		folder,
		...ports,
		env: { ...PATIENCE, ...TALKATIVE, ...DELETE_AT_ONCE },
	});
	(globalThis as { stopStack?: () => Promise<void> }).stopStack = async () => {
		await stack.stop();
		if (process.env.CI) console.log(await endOfLog(stack.n8n.logFile));
		await rm(folder, { recursive: true, force: true });
	};
	const handle: Handle = {
		folder,
		n8nUrl: stack.n8n.url,
		session: stack.api.session,
		sandbox: addressOf(stack.sandbox),
		credential: stack.credential,
	};
	process.env[HANDLE_VARIABLE] = JSON.stringify(handle);
};

/** Of what n8n printed: where nobody can look at the machine, it may say why a test failed. */
async function endOfLog(file: string): Promise<string> {
	const all = (await readFile(file, 'utf8')).split('\n');
	const told = all.filter((line) => !/^\S+ \| debug\b/.test(line));
	const lines = [...new Set(told.map((line) => line.replace(/^\S+ \| /, '')))];
	return ['The last lines that n8n printed, each once:', ...lines.slice(-LOG_LINES)].join('\n');
}
