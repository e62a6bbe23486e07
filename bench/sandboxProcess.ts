import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { SandboxClient } from '../dev/sandbox/client';
import type { SandboxAddress } from '../dev/sandbox/client';
import type { Model } from '../dev/sandbox/model';
import { ROOT } from '../dev/stack/paths';

const CREDITS = 1_000_000_000;

/** The requests for scans since the last reset. */
export interface Received {
	/** All of them, whatever was answered. */
	requests: number;
	/** Those that were answered with 429. */
	refused: number;
	/** The documents that were scanned with success, by their digests: twice if they were paid twice. */
	scanned: { sha256: string; bytes: number }[];
}

/** The sandbox in a process of its own, so that it takes no time from what is measured. */
export class SandboxProcess extends SandboxClient {
	private constructor(
		address: SandboxAddress,
		private readonly child: ChildProcess,
		private readonly kill: () => void,
	) {
		super(address);
	}

	static async start(): Promise<SandboxProcess> {
		const child = fork(join(ROOT, 'dev', 'sandbox', 'main.ts'), {
			env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_FILES_PORT: '0' },
			stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
		});
		const kill = () => void child.kill('SIGKILL');
		process.once('exit', kill);
		if (!child.stdout) throw new Error('The sandbox has no output.');
		const printed = new Map<string, string>();
		for await (const line of createInterface(child.stdout)) {
			const [, name, value] = /^\s+(\S.*?)\s{2,}(\S+)$/.exec(line) ?? [];
			if (name && value) printed.set(name, value);
			if (printed.has('Portal')) break;
		}
		const valueOf = (name: string) => printed.get(name) ?? '';
		const [url, filesUrl, apiKey] = ['Base URL', 'Files', 'API key'].map(valueOf);
		return new SandboxProcess({ url, filesUrl, apiKey } as SandboxAddress, child, kill);
	}

	get pid(): number {
		return this.child.pid ?? 0;
	}

	/** Makes it as new, with credits enough. */
	override async reset(): Promise<void> {
		await super.reset();
		await this.setCredits(CREDITS);
	}

	/** Forgets what was received, and is as fast as this model from now on or, without one, as fast as it can. */
	async imitate(model: Model = {}): Promise<void> {
		await this.reset();
		await this.setModel(model);
	}

	async received(): Promise<Received> {
		const requests = await this.requests();
		const scans = requests.filter(({ status }) => status === 200);
		return {
			requests: requests.length,
			refused: requests.filter(({ status }) => status === 429).length,
			scanned: scans.map(({ images: { document } }) => document ?? { sha256: '', bytes: 0 }),
		};
	}

	/** How many documents were scanned since the last reset, and their bytes. */
	async scanned(): Promise<{ documents: number; bytes: number }> {
		const { scanned } = await this.received();
		const bytes = scanned.reduce((total, document) => total + document.bytes, 0);
		return { documents: scanned.length, bytes };
	}

	async stop(): Promise<void> {
		process.off('exit', this.kill);
		const exit = once(this.child, 'exit');
		this.child.kill('SIGTERM');
		await exit;
	}
}
