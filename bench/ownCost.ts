import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod/v4';

import { N8N_NODE, ROOT } from '../dev/stack/paths';
import type { Bed } from './bed';
import { ROUNDS, Section, atMost, ratios } from './figures';
import { TRIGGER_PAYLOAD_BYTES } from './payload';

const run = promisify(execFile);

const N8N_MODULES = join(ROOT, 'dev', 'n8n', 'node_modules');
const NODES = ['IdentityVerification.node.js', 'IdentityVerificationTrigger.node.js'];
const HTTP_REQUEST = join(
	...[N8N_MODULES, 'n8n-nodes-base', 'dist', 'nodes', 'HttpRequest', 'HttpRequest.node.js'],
);
const SIZES = [
	{ name: '10 kB', bytes: 10_000 },
	{ name: '100 kB', bytes: 100_000 },
	{ name: '1 MB', bytes: 1_000_000 },
	{ name: '10 MB', bytes: 10_000_000 },
] as const;

/**
 * What the package's own code costs: time of the trigger, time to load, size.
 * @param eventCpuMs CPU time that n8n takes for a whole event, if that was measured
 */
export async function measureOwnCost(bed: Bed, eventCpuMs: number | undefined): Promise<Section> {
	const section = new Section('Own cost');
	await addWebhookCost(section, bed, eventCpuMs);
	await addLoadTime(section, bed);
	const { size, unpackedSize } = bed.tarball;
	section.add('packed', 'kB', size / 1_000);
	section.add('unpacked', 'kB', unpackedSize / 1_000);
	return section;
}

async function addWebhookCost(
	section: Section,
	bed: Bed,
	eventCpuMs: number | undefined,
): Promise<void> {
	const sizes = [TRIGGER_PAYLOAD_BYTES, ...SIZES.map(({ bytes }) => bytes)];
	const runs: number[][] = [];
	for (let round = 0; round < ROUNDS; round++) runs.push(await webhookCosts(bed, sizes));
	const at = (index: number) => runs.map((costs) => costs[index] ?? NaN);
	section.add('webhook(), 12 kB', 'µs', at(0));
	if (eventCpuMs !== undefined) {
		const shares = at(0).map((us) => (us / 1_000 / eventCpuMs) * 100);
		section.add('share of the CPU time of an event', '%', shares, { target: atMost(2) });
	}
	SIZES.forEach(({ name, bytes }, index) => {
		const perKb = at(index + 1).map((us) => us / (bytes / 1_000));
		section.add(`webhook(), ${name}`, 'µs/kB', perKb);
	});
	// Of 10 MB, the trigger leaves most values out. A cost that grew with the square of the size
	// would be 100.
	const growth = runs.map((costs) => (costs.at(-2) ?? NaN) / (costs.at(1) ?? NaN) / 100);
	section.add('cost per kB, 1 MB against 10 kB', 'x', growth, { target: atMost(2) });
}

async function addLoadTime(section: Section, bed: Bed): Promise<void> {
	const script = join(__dirname, 'child', 'loadTime.cjs');
	const load = async (files: string[]) => Number(await runInN8nNode(bed, [script, ...files]));
	const ours: number[] = [];
	const theirs: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		ours.push(await load(NODES.map((name) => nodeFile(bed, name))));
		theirs.push(await load([HTTP_REQUEST]));
	}
	section.add('loading both nodes, CPU', 'ms', ours);
	section.add("loading n8n's HTTP Request, CPU", 'ms', theirs);
	section.add('ratio', 'x', ratios(ours, theirs), { setting: 'loading', target: atMost(0.2) });
}

async function webhookCosts(bed: Bed, sizes: number[]): Promise<number[]> {
	const script = join(__dirname, 'child', 'webhookCost.ts');
	const file = nodeFile(bed, 'IdentityVerificationTrigger.node.js');
	const args = ['--import', 'tsx', script, file, ...sizes.map(String)];
	return z.array(z.number()).parse(JSON.parse(await runInN8nNode(bed, args)));
}

function nodeFile({ packageFolder }: Bed, name: string): string {
	return join(packageFolder, 'dist', 'nodes', 'IdentityVerification', name);
}

/** Runs a script with the Node.js and the modules that n8n gives the package. */
async function runInN8nNode(bed: Bed, args: string[]): Promise<string> {
	const env = {
		...process.env,
		NODE_PATH: N8N_MODULES,
		N8N_USER_FOLDER: join(bed.folder, 'own-cost'),
		N8N_ENCRYPTION_KEY: 'encryption-key-of-the-benchmark',
	};
	const { stdout } = await run(N8N_NODE, args, { cwd: ROOT, env });
	return stdout;
}
