import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { z } from 'zod/v4';

import type { Model } from '../dev/sandbox/model';
import { ROOT } from '../dev/stack/paths';

const CREDITS = 1_000_000_000;

const state = z.object({
	requests: z.array(
		z.object({
			status: z.number().nullable(),
			images: z.object({
				document: z.object({ bytes: z.number(), sha256: z.string() }).optional(),
			}),
		}),
	),
});

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
export interface SandboxProcess {
	url: string;
	filesUrl: string;
	apiKey: string;
	pid: number;
	/** Forgets what was received, and answers scans with this latency from now on. */
	reset(latencyMs?: number): Promise<void>;
	/** Forgets what was received, and is as fast as this model from now on. */
	imitate(model: Model): Promise<void>;
	received(): Promise<Received>;
	/** How many documents were scanned since the last reset, and their bytes. */
	scanned(): Promise<{ documents: number; bytes: number }>;
	stop(): Promise<void>;
}

export async function startSandboxProcess(): Promise<SandboxProcess> {
	const child = fork(join(ROOT, 'dev', 'sandbox', 'main.ts'), {
		env: { ...process.env, SANDBOX_PORT: '0', SANDBOX_FILES_PORT: '0' },
		stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
	});
	const kill = () => child.kill('SIGKILL');
	process.once('exit', kill);
	const printed = new Map<string, string>();
	if (!child.stdout) throw new Error('The sandbox has no output.');
	for await (const line of createInterface(child.stdout)) {
		const [, name, value] = /^\s+(\S.*?)\s{2,}(\S+)$/.exec(line) ?? [];
		if (name && value) printed.set(name, value);
		if (printed.has('Portal')) break;
	}
	const [url = '', filesUrl = '', apiKey = ''] = ['Base URL', 'Files', 'API key'].map((name) =>
		printed.get(name),
	);
	const control = async (method: string, path: string, body?: object) => {
		const answer = await fetch(`${url}/_sandbox/${path}`, {
			method,
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body ?? {}),
		});
		if (!answer.ok) throw new Error(`The sandbox refused ${path}: ${await answer.text()}`);
	};
	const received = async (): Promise<Received> => {
		const answer = await fetch(`${url}/_sandbox/state`);
		const { requests } = state.parse(await answer.json());
		const scans = requests.filter(({ status }) => status === 200);
		return {
			requests: requests.length,
			refused: requests.filter(({ status }) => status === 429).length,
			scanned: scans.map(({ images: { document } }) => document ?? { sha256: '', bytes: 0 }),
		};
	};
	const forget = async () => {
		await control('POST', 'reset');
		await control('PUT', 'credits', { credits: CREDITS });
	};
	return {
		url,
		filesUrl,
		apiKey,
		pid: child.pid ?? 0,
		async reset(latencyMs = 0) {
			await forget();
			if (latencyMs === 0) return;
			await control('POST', 'faults', {
				on: 'scan',
				kind: 'latency',
				ms: latencyMs,
				times: 'always',
			});
		},
		async imitate(model) {
			await forget();
			await control('PUT', 'model', model);
		},
		received,
		async scanned() {
			const { scanned } = await received();
			return {
				documents: scanned.length,
				bytes: scanned.reduce((total, { bytes }) => total + bytes, 0),
			};
		},
		async stop() {
			process.off('exit', kill);
			const exit = once(child, 'exit');
			child.kill('SIGTERM');
			await exit;
		},
	};
}
