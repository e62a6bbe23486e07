import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { SandboxClient } from '../../dev/sandbox/client';
import { poll } from '../../dev/stack/poll';
import { canListen, freePorts } from '../../dev/stack/ports';
import { ROOT } from '../../dev/stack/paths';
import { listen } from '../kit/httpServer';

interface Run {
	process: ChildProcess;
	isRunning: boolean;
	/** All that it has printed so far. */
	output(): string;
	/** Resolves to the exit code. */
	ended: Promise<number | null>;
}

let running: Run | undefined;
let folder: string;
let ports: number[];

async function npmStart(...flags: string[]): Promise<Run> {
	ports = await freePorts(3);
	const [n8n, sandbox, files] = ports;
	const where = [`--n8n-port=${n8n}`, `--sandbox-port=${sandbox}`, `--files-port=${files}`];
	const child = spawn('npm', ['start', '--', `--folder=${folder}`, ...where, ...flags], {
		cwd: ROOT,
		// A process group of its own, as a terminal gives to a command.
		detached: true,
	});
	let output = '';
	const collect = (chunk: Buffer) => (output += chunk.toString());
	child.stdout.on('data', collect);
	child.stderr.on('data', collect);
	const run: Run = {
		process: child,
		isRunning: true,
		output: () => output,
		ended: once(child, 'close').then(([code]) => {
			run.isRunning = false;
			return code as number | null;
		}),
	};
	running = run;
	return run;
}

/** A terminal sends it to the whole process group. */
function pressCtrlC({ process: { pid = 0 } }: Run): void {
	process.kill(-pid, 'SIGINT');
}

/** Command lines of the processes that know the folder, by environment or by command line. */
async function processesOfFolder(): Promise<string[]> {
	const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
	const read = async (pid: string, file: string) =>
		await readFile(join('/proc', pid, file), 'utf8').catch(() => '');
	const known = await Promise.all(
		pids.map(async (pid) => {
			const [command, environment] = [await read(pid, 'cmdline'), await read(pid, 'environ')];
			return `${command} ${environment}`.includes(folder) ? command.replaceAll('\0', ' ') : '';
		}),
	);
	return known.filter(Boolean);
}

async function expectNothingLeft(): Promise<void> {
	// Of a killed process group, some can outlive their leader for a moment.
	const deadline = Date.now() + 30_000;
	while ((await processesOfFolder()).length > 0 && Date.now() < deadline) await sleep(50);
	expect(await processesOfFolder()).toEqual([]);
	expect(await Promise.all(ports.map(canListen))).toEqual([true, true, true]);
}

async function untilPrinted(run: Run, text: string): Promise<void> {
	const options = { what: `"${text}" to be printed`, timeoutMs: 300_000 };
	await poll(async () => {
		if (run.output().includes(text)) return true;
		if (!run.isRunning) throw new Error(`It ended before "${text}":\n${run.output()}`);
		return undefined;
	}, options);
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'identity-verification-start-'));
});

afterEach(async () => {
	// Only a test that failed half-way leaves a run behind.
	if (running?.isRunning) pressCtrlC(running);
	await running?.ended;
	running = undefined;
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

describe('npm start', () => {
	it('--once shows where each verification went, and leaves no process behind', async () => {
		const run = await npmStart('--once');
		expect(await run.ended).toBe(0);
		expect(run.output()).toMatch(/finished as accept +accept +accept +\d+ +success +right/);
		expect(run.output()).toMatch(/finished as review +review +review +\d+ +success +right/);
		expect(run.output()).toMatch(/finished as reject +reject +reject +\d+ +success +right/);
		expect(run.output()).toMatch(/specimen document +accept +accept +\d+ +success +right/);
		await expectNothingLeft();
	});

	it('works again in the same folder, stays, and ends cleanly when it is told to', async () => {
		const run = await npmStart();
		await untilPrinted(run, 'Stop with Ctrl+C');
		expect(run.output()).not.toContain('WRONG');
		expect(run.output()).toContain(`http://127.0.0.1:${ports[0]}`);
		expect(run.output()).not.toContain('Installing');
		pressCtrlC(run);
		await run.ended;
		expect(run.output()).toContain('Stopped');
		await expectNothingLeft();
	});

	it('ends cleanly when npm alone is killed', async () => {
		const run = await npmStart();
		await untilPrinted(run, 'Starting the sandbox');
		run.process.kill('SIGTERM');
		await run.ended;
		expect(run.output()).toContain('Stopped');
		await expectNothingLeft();
	});

	it('--once ends with 1 when the service fails, and marks the row', async () => {
		const run = await npmStart('--once');
		await untilPrinted(run, 'Starting the sandbox');
		const sandbox = new SandboxClient({
			url: `http://127.0.0.1:${ports[1]}`,
			filesUrl: '',
			apiKey: '',
		});
		const fault = { on: 'scan', kind: 'serverError', times: 'always' };
		const options = { what: 'the sandbox', timeoutMs: 120_000 };
		await poll(async () => {
			const answer = await sandbox.control('POST', 'faults', fault).catch(() => undefined);
			return answer?.ok ? true : undefined;
		}, options);
		expect(await run.ended).toBe(1);
		expect(run.output()).toMatch(/specimen document +accept +- +\d+ +error +WRONG/);
		expect(run.output()).toMatch(/finished as reject .*right/);
		await expectNothingLeft();
	});

	it('names the port that is in use, with its flag and variable', async () => {
		const other = await listen(() => undefined);
		const { port } = new URL(other.url);
		const run = await npmStart(`--sandbox-port=${port}`);
		expect(await run.ended).toBe(1);
		expect(run.output()).toContain(`Port ${port}, wanted for the sandbox, is already in use`);
		expect(run.output()).toContain('--sandbox-port');
		expect(run.output()).toContain('SANDBOX_PORT');
	});
});
