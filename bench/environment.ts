import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { dirname, join } from 'node:path';

import { z } from 'zod/v4';

import { N8N_NODE, N8N_PROGRAM, ROOT } from '../dev/stack/paths';

/** Where and with what the figures were measured. */
export const environment = z.object({
	date: z.string(),
	machine: z.string(),
	system: z.string(),
	n8n: z.string(),
	n8nNode: z.string(),
	benchmarkNode: z.string(),
	package: z.string(),
});
export type Environment = z.infer<typeof environment>;

export function readEnvironment(): Environment {
	const [cpu] = cpus();
	const memory = Math.round(totalmem() / 1024 ** 3);
	return {
		date: new Date().toISOString().slice(0, 10),
		machine: `${availableParallelism()} CPUs (${cpu?.model.trim()}), ${memory} GB`,
		system: `Linux ${release()}`,
		n8n: versionOf(dirname(dirname(N8N_PROGRAM))),
		n8nNode: execFileSync(N8N_NODE, ['--version'], { encoding: 'utf8' }).trim(),
		benchmarkNode: process.version,
		package: versionOf(ROOT),
	};
}

function versionOf(folder: string): string {
	const text = readFileSync(join(folder, 'package.json'), 'utf8');
	return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}
