import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod/v4';

import { poll } from '../dev/stack/poll';
import type { Bed, RunningN8n } from './bed';

const PROGRAM = join(__dirname, 'child', 'heap.cjs');
/** n8n works on after it has answered. */
const REST_MS = 3_000;

const memoryUsage = z.object({ heapUsed: z.number(), rss: z.number() });

/** Bytes that n8n holds when its garbage is collected. */
export type MemoryUsage = z.infer<typeof memoryUsage>;

/** Settings of an n8n whose memory can be read. */
export function readableMemory(bed: Bed): Record<string, string> {
	return {
		NODE_OPTIONS: `--expose-gc --require=${PROGRAM}`,
		HEAP_FILE: fileOf(bed),
	};
}

/** Reads the memory of an n8n at rest that runs with these settings. */
export async function readMemory(bed: Bed, { n8n }: RunningN8n): Promise<MemoryUsage> {
	const file = fileOf(bed);
	await sleep(REST_MS);
	await rm(file, { force: true });
	process.kill(n8n.pid, 'SIGUSR2');
	const read = async () => await readFile(file, 'utf8').catch(() => undefined);
	const text = await poll(read, { what: "n8n's memory", timeoutMs: 30_000 });
	return memoryUsage.parse(JSON.parse(text));
}

function fileOf({ folder }: Bed): string {
	return join(folder, 'heap.json');
}
