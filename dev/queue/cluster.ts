import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';

import { N8nApi } from '../stack/api';
import { startN8n } from '../stack/n8n';
import type { N8n, Role } from '../stack/n8n';
import { freePort, freePorts } from '../stack/ports';
import type { Login } from '../stack/rest';
import { installTarball, packPackage } from '../stack/tarball';
import type { Tarball } from '../stack/tarball';
import { createShared } from './services';

const PROCESSES = [
	{ name: 'main', role: 'main' },
	{ name: 'webhook', role: 'webhook' },
	{ name: 'worker1', role: 'worker' },
	{ name: 'worker2', role: 'worker' },
] as const satisfies { name: string; role: Role }[];

export type ProcessName = (typeof PROCESSES)[number]['name'];

export interface ClusterOptions {
	/** Each process keeps its user folder in it. */
	folder: string;
	owner: Login;
	/** Settings on top of queue.env, for every process. */
	env?: Record<string, string>;
}

/** n8n in queue mode: four processes, each with the packed package in a user folder of its own. */
export interface Cluster {
	/** Of the main process. */
	api: N8nApi;
	/** Where webhooks arrive, without a trailing slash. */
	webhookUrl: string;
	pids(): Record<ProcessName, number>;
	/** All that a process has printed since its last start. */
	log(name: ProcessName): Promise<string>;
	/** Ends a process at once, as a crash would. */
	kill(name: ProcessName): Promise<void>;
	/** Starts a killed process again, with its folder and port. */
	restart(name: ProcessName): Promise<void>;
	stop(): Promise<void>;
}

export async function startCluster({ folder, owner, env }: ClusterOptions): Promise<Cluster> {
	const shared = await createShared(`identity_verification_${randomUUID().slice(0, 8)}`);
	const common = { ...(await queueSettings()), ...shared.env, ...env };
	const tarball = await packPackage(join(folder, 'package'));
	const members = new Map<ProcessName, Member>(
		PROCESSES.map(({ name, role }) => [
			name,
			new Member({ role, folder: join(folder, name), env: common }),
		]),
	);
	const member = (name: ProcessName) => members.get(name) ?? unknownProcess(name);
	const stop = async () => {
		await Promise.all([...members.values()].map(async (each) => await each.end('stop')));
		await shared.remove();
	};
	try {
		await Promise.all([...members.values()].map(async (each) => await each.install(tarball)));
		// The main process first: it makes the tables.
		await member('main').start(await freePort());
		const others = [...members.entries()].filter(([name]) => name !== 'main');
		const ports = await freePorts(others.length);
		await Promise.all(others.map(async ([, each], index) => await each.start(ports[index])));
		const api = new N8nApi(member('main').url);
		await api.enter(owner);
		return {
			api,
			webhookUrl: member('webhook').url,
			pids: () =>
				Object.fromEntries([...members].map(([name, { pid }]) => [name, pid])) as ReturnType<
					Cluster['pids']
				>,
			log: async (name) => await member(name).log(),
			kill: async (name) => await member(name).end('kill'),
			restart: async (name) => await member(name).start(),
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

interface MemberOptions {
	role: Role;
	folder: string;
	env: Record<string, string>;
}

/** One process, which can be started again. */
class Member {
	private process?: N8n;

	private port = 0;

	constructor(private readonly options: MemberOptions) {}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	get pid(): number {
		return this.process?.pid ?? 0;
	}

	async install(tarball: Tarball): Promise<void> {
		await installTarball(tarball, this.options.folder);
	}

	/** @param port where it listens; where it did before, if not given */
	async start(port = this.port): Promise<void> {
		this.port = port;
		this.process = await startN8n({ ...this.options, port });
	}

	async end(how: 'stop' | 'kill'): Promise<void> {
		const ending = this.process;
		this.process = undefined;
		await ending?.[how]();
	}

	async log(): Promise<string> {
		return await readFile(join(this.options.folder, 'n8n.log'), 'utf8');
	}
}

/** The same settings that compose.yaml gives to its containers, and a key for the run. */
async function queueSettings(): Promise<Record<string, string>> {
	const file = await readFile(join(__dirname, 'queue.env'), 'utf8');
	const settings = parseEnv(file) as Record<string, string>;
	return { ...settings, N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex') };
}

function unknownProcess(name: string): never {
	throw new Error(`There is no process ${name}.`);
}
