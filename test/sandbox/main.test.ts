import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { SandboxClient } from '../../dev/sandbox/client';
import { poll } from '../../dev/stack/poll';
import type { TestSandbox } from '../kit/sandbox';

jest.setTimeout(120_000);

const START_TIMEOUT_MS = 60_000;
const MAIN = join(__dirname, '../../dev/sandbox/main.ts');

const children: ChildProcess[] = [];
let sandbox: TestSandbox | undefined;
afterEach(async () => {
	await sandbox?.close();
	sandbox = undefined;
	for (const child of children.splice(0)) child.kill('SIGKILL');
});

function startMain(port: string, filesPort: string): ChildProcess {
	const env = { ...process.env, SANDBOX_PORT: port, SANDBOX_FILES_PORT: filesPort };
	const child = spawn(process.execPath, ['--import', 'tsx', MAIN], { env, stdio: 'pipe' });
	children.push(child);
	return child;
}

async function startedMain() {
	const child = startMain('0', '0');
	let output = '';
	child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
	await poll(async () => output.includes('Ctrl+C') || undefined, {
		what: 'the sandbox to start',
		timeoutMs: START_TIMEOUT_MS,
	});
	return { child, output, url: /Base URL +(\S+)/.exec(output)?.[1] ?? '' };
}

/** A scan whose document has this many megabytes, sent piece by piece. */
async function sendLargeScan(url: string, megabytes: number) {
	const block = Buffer.alloc(3 * 2 ** 18, 'ffd8ff', 'hex');
	const blocks = Math.ceil((megabytes * 2 ** 20) / block.length);
	const hash = createHash('sha256');
	const base64 = block.toString('base64');
	const body = async function* () {
		yield '{"profile":"sandbox-accept","document":"';
		for (let index = 0; index < blocks; index += 1) {
			hash.update(block);
			yield base64;
		}
		yield '"}';
	};
	const headers = { 'X-API-KEY': 'sandbox-key', 'Content-Type': 'application/json' };
	const init = { method: 'POST', headers, body: Readable.from(body()), duplex: 'half' };
	const response = await fetch(`${url}/scan`, init as RequestInit);
	return { status: response.status, bytes: blocks * block.length, sha256: hash.digest('hex') };
}

/** The most memory that a process ever had, in megabytes. */
function peakMemory({ pid }: ChildProcess): number {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

it('says what is where, and ends on a signal', async () => {
	const { child, output, url } = await startedMain();
	expect((await fetch(`${url}/portal`)).status).toBe(200);
	for (const part of ['sandbox-key', `${url}/portal`, 'sandbox-aml']) {
		expect(output).toContain(part);
	}
	const ended = once(child, 'exit');
	child.kill('SIGTERM');
	expect(await ended).toEqual([0, null]);
});

it('reads a scan of 150 MB in flat memory', async () => {
	const { child, url } = await startedMain();
	await sendLargeScan(url, 10);
	const before = peakMemory(child);
	const { status, bytes, sha256 } = await sendLargeScan(url, 150);
	expect(status).toBe(200);
	expect(peakMemory(child) - before).toBeLessThan(100);
	const requests = await new SandboxClient({ url, filesUrl: '', apiKey: '' }).requests();
	expect(requests[1]?.images.document).toEqual({ bytes, sha256 });
});
