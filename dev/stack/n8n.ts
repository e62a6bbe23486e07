import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { fetchN8n } from './fetchN8n';
import { N8N_MODULES, N8N_NODE, N8N_PROGRAM } from './paths';
import { poll } from './poll';
import { freePort } from './ports';

const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 15_000;
const READY_LINE = 'Editor is now accessible';
const LOG_LINES_IN_MESSAGE = 20;
const UNWANTED_MODULES = ['mcp-registry', 'instance-ai', 'chat-hub', 'agents'];

export type Role = 'main' | 'webhook' | 'worker';

const COMMANDS: Record<Role, string> = { main: 'start', webhook: 'webhook', worker: 'worker' };

export interface N8nOptions {
	/** User folder: n8n keeps its `.n8n` in it. */
	folder: string;
	/** Where it listens; a worker answers only `/healthz` there. */
	port: number;
	/** What the process does; default is all. Webhook processors and workers need queue mode. */
	role?: Role;
	/** Settings on top of those for a quiet instance that calls nobody. */
	env?: Record<string, string>;
	/** Ends the start early; n8n is stopped then. */
	signal?: AbortSignal;
}

/** A running n8n with its child processes. */
export interface N8n {
	/** Without a trailing slash. */
	readonly url: string;
	readonly pid: number;
	/** File with all that it prints. */
	readonly logFile: string;
	/** Asks it to end, and ends it by force after 15 seconds. */
	stop(): Promise<void>;
	/** Ends it at once, as a crash would. */
	kill(): Promise<void>;
}

/** Starts n8n on the loopback address, and resolves when its workflows can be used. */
export async function startN8n(options: N8nOptions): Promise<N8n> {
	const { folder, port, role = 'main', env, signal } = options;
	const logFile = join(folder, 'n8n.log');
	const url = `http://127.0.0.1:${port}`;
	const child = await launch(role, logFile, { ...(await settings(folder, port)), ...env });
	const killGroup = () => signalGroup(child, 'SIGKILL');
	process.once('exit', killGroup);
	const end = async (first: NodeJS.Signals) => {
		await endGroup(child, first);
		process.off('exit', killGroup);
	};
	const { pid = 0 } = child;
	const n8n = { url, pid, logFile, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
	try {
		const options = { what: 'n8n to start', timeoutMs: START_TIMEOUT_MS, signal };
		await poll(async () => await isReady(role, child, n8n), options);
	} catch (error) {
		await n8n.stop();
		throw error;
	}
	return n8n;
}

async function launch(role: Role, logFile: string, env: NodeJS.ProcessEnv): Promise<ChildProcess> {
	await mkdir(dirname(logFile), { recursive: true });
	const log = await open(logFile, 'w');
	// In a process group of its own: its children can be ended with it, and Ctrl-C doesn't reach
	// it before this program has said so.
	const child = spawn(N8N_NODE, [N8N_PROGRAM, COMMANDS[role]], {
		env,
		detached: true,
		stdio: ['ignore', log.fd, log.fd],
	});
	await once(child, 'spawn').finally(() => log.close());
	return child;
}

async function settings(folder: string, port: number): Promise<NodeJS.ProcessEnv> {
	const foreign = /^(N8N|DB|EXECUTIONS|QUEUE|WEBHOOK|NODE|JEST|npm)_/i;
	const inherited = Object.entries(process.env).filter(([name]) => !foreign.test(name));
	return {
		...Object.fromEntries(inherited),
		NODE_ENV: 'production',
		N8N_USER_FOLDER: folder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		// The default of n8n 2 but not of n8n 1, which puts files into its database.
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		// The same. Without a write-ahead log, a long write keeps everybody else from reading.
		DB_SQLITE_ENABLE_WAL: 'true',
		// After a ping of its database that a busy machine has delayed, n8n would answer everything
		// with 503.
		DB_PING_INTERVAL_SECONDS: '3600',
		// From n8n 3 on, packages that n8n hasn't verified aren't loaded without it.
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_DISABLED_MODULES: UNWANTED_MODULES.filter(isKnownModule).join(','),
	};
}

/** n8n doesn't start when it's told to leave out a module that its version doesn't have. */
function isKnownModule(name: string): boolean {
	return existsSync(join(N8N_MODULES, 'n8n', 'dist', 'modules', name));
}

async function isReady(
	role: Role,
	child: ChildProcess,
	{ url, logFile }: N8n,
): Promise<true | undefined> {
	const log = await readFile(logFile, 'utf8');
	if (hasEnded(child)) {
		const lines = log.trimEnd().split('\n').slice(-LOG_LINES_IN_MESSAGE).join('\n');
		throw new Error(`n8n ended while it was starting. The end of ${logFile}:\n${lines}`);
	}
	if (role === 'main' && !log.includes(READY_LINE)) return undefined;
	const answer = await fetchN8n(`${url}/healthz/readiness`).catch(() => undefined);
	return answer?.ok ? true : undefined;
}

async function endGroup(child: ChildProcess, first: NodeJS.Signals): Promise<void> {
	if (!hasEnded(child)) {
		const exit = once(child, 'exit');
		const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_TIMEOUT_MS);
		if (first === 'SIGTERM') child.kill(first);
		else signalGroup(child, first);
		await exit;
		clearTimeout(timer);
	}
	signalGroup(child, 'SIGKILL');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
	return exitCode !== null || signalCode !== null;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
	try {
		if (pid) process.kill(-pid, signal);
	} catch {
		// The group has no process left.
	}
}
