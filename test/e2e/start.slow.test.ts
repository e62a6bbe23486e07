import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { SandboxClient } from '../../dev/sandbox/client';
import { N8nApi } from '../../dev/stack/api';
import { poll } from '../../dev/stack/poll';
import { canListen, freePorts } from '../../dev/stack/ports';
import { ROOT } from '../../dev/stack/paths';
import { OWNER } from '../../dev/stack/stack';
import { readExample } from '../kit/n8n/examples/example';
import { TRY, runInEditor } from './support/runInEditor';
import { listen } from '../kit/service/httpServer';

interface Run {
	process: ChildProcess;
	isRunning: boolean;
	/** All that it has printed so far. */
	output(): string;
	/** Resolves to the exit code. */
	ended: Promise<number | null>;
}

/** Each runs to its end without an account, and in this order. */
const EXAMPLES = [
	['case-list/workflow.json', TRY],
	['check-again/workflow.json', 'Every Morning'],
	['reminder-and-expiry/workflow.json', TRY],
	['reminder-and-expiry/workflow.json', 'Every Morning'],
	['compare-with-your-records/workflow.json', TRY],
	['second-chance/workflow.json', 'Set Up'],
	['review-desk/workflow.json', TRY],
	['review-desk/workflow.json', 'Every Morning'],
	['review-desk/workflow.json', 'Every Monday'],
	['weekly-report/workflow.json', TRY],
	['weekly-report/workflow.json', 'Every Monday'],
	['when-something-fails/workflow.json', TRY],
	['long-batch/workflow.json', 'Start'],
	['crm/hubspot.json', TRY],
	['crm/pipedrive.json', TRY],
	['crm/google-sheets.json', TRY],
] as const;

let running: Run | undefined;
let folder: string;
let ports: number[];

async function npmStart(...flags: string[]): Promise<Run> {
	ports = await freePorts(4);
	const names = ['n8n', 'sandbox', 'sandbox-files', 'outside'];
	const where = names.map((name, index) => `--${name}-port=${ports[index]}`);
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
	expect(await Promise.all(ports.map(canListen))).toEqual(ports.map(() => true));
}

async function untilPrinted(run: Run, text: string): Promise<void> {
	const options = { what: `"${text}" to be printed`, timeoutMs: 300_000 };
	await poll(async () => {
		if (run.output().includes(text)) return true;
		if (!run.isRunning) throw new Error(`It ended before "${text}":\n${run.output()}`);
		return undefined;
	}, options);
}

/** Selects *Execute workflow* in examples, as they are set up. Returns how each ended. */
async function tryExamples(): Promise<string[]> {
	const api = new N8nApi(`http://127.0.0.1:${ports[0]}`);
	await api.enter(OWNER);
	const statuses: string[] = [];
	for (const [file, trigger] of EXAMPLES) {
		const workflow = await readExample(file);
		statuses.push((await runInEditor(api, workflow, trigger)).status);
	}
	return statuses;
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
		for (const decision of ['accept', 'review', 'reject']) {
			const job = `right  Hosted link finished as ${decision}: went to ${decision}`;
			expect(run.output()).toMatch(new RegExp(`${job} \\(execution \\d+: success\\)`));
		}
		expect(run.output()).toMatch(/right  Scan of a specimen document: went to accept \(/);
		await expectNothingLeft();
	});

	it('works again in the same folder, stays, and ends cleanly when it is told to', async () => {
		const run = await npmStart();
		await untilPrinted(run, 'Stop with Ctrl+C');
		expect(run.output()).not.toContain('WRONG');
		expect(run.output()).toContain(`http://127.0.0.1:${ports[0]}`);
		expect(run.output()).not.toContain('Installing');
		expect(await tryExamples()).toEqual(EXAMPLES.map(() => 'success'));
		const page = await (await fetch(`http://127.0.0.1:${ports[3]}`)).text();
		expect(page).toContain('invented-4@example.com');
		expect(page).toContain('Workflow: `Long batch`');
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
		expect(run.output()).toMatch(
			/WRONG  Scan of a specimen document: went to no branch \(execution \d+: error\)/,
		);
		expect(run.output()).toMatch(/right  Hosted link finished as reject/);
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
