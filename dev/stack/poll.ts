import { setTimeout as sleep } from 'node:timers/promises';

export interface PollOptions {
	/** What is awaited, for the message of a timeout. */
	what: string;
	timeoutMs: number;
	intervalMs?: number;
	signal?: AbortSignal;
}

/** Asks again and again until the answer isn't undefined. Rejects after the timeout. */
export async function poll<Value>(
	ask: () => Promise<Value | undefined>,
	{ what, timeoutMs, intervalMs = 200, signal }: PollOptions,
): Promise<Value> {
	const deadline = Date.now() + timeoutMs;
	for (;;) {
		signal?.throwIfAborted();
		const value = await ask();
		if (value !== undefined) return value;
		if (Date.now() > deadline) {
			throw new Error(`Timed out after ${timeoutMs / 1_000} seconds of waiting for ${what}.`);
		}
		await sleep(intervalMs, undefined, { signal });
	}
}
