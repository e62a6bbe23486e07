import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Bed } from './bed';

const CALM_KB = 2 * 1024;
const CALM_CHECKS = 4;
const CHECK_MS = 500;
const MAX_CHECKS = 40;

/**
 * Resident memory in kB as Linux counts it: at this moment, and the highest since the last reset.
 */
function residentMemory(pid: number): { nowKb: number; peakKb: number } {
	const status = readFileSync(`/proc/${pid}/status`, 'utf8');
	const read = (name: string) =>
		Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]);
	return { nowKb: read('VmRSS'), peakKb: read('VmHWM') };
}

/** Waits until a process has stopped growing. Returns its resident memory in kB. */
export async function calmMemory(pid: number): Promise<number> {
	let last = residentMemory(pid).nowKb;
	for (let check = 0, calm = 0; check < MAX_CHECKS && calm < CALM_CHECKS; check++) {
		await sleep(CHECK_MS);
		const { nowKb } = residentMemory(pid);
		calm = Math.abs(nowKb - last) < CALM_KB ? calm + 1 : 0;
		last = nowKb;
	}
	return last;
}

/** What a task adds to the resident memory of a process at most, in MB, above `idleKb`. */
export async function peakAbove(
	pid: number,
	idleKb: number,
	task: () => Promise<unknown>,
): Promise<number> {
	// Makes the kernel measure the peak from here on.
	writeFileSync(`/proc/${pid}/clear_refs`, '5');
	await task();
	return (residentMemory(pid).peakKb - idleKb) / 1024;
}

/** The same for the sandbox, which has to stream what n8n streams. */
export async function peakOfSandbox(
	{ sandbox: { pid } }: Bed,
	task: () => Promise<unknown>,
): Promise<number> {
	return await peakAbove(pid, await calmMemory(pid), task);
}

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU time of all threads of a process so far, in milliseconds. */
export function cpuMs(pid: number): number {
	const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
	// The second field is the program's name in brackets, which can hold anything.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [user = NaN, system = NaN] = fields.slice(11, 13).map(Number);
	return ((user + system) / TICKS_PER_SECOND) * 1_000;
}
