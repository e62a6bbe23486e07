import { poll } from '../../dev/stack/poll';

/** Waits until this holds, which is asked every few milliseconds. Rejects after 20 seconds. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
	const options = { what, timeoutMs: 20_000, intervalMs: 5 };
	await poll(async () => (await holds()) || undefined, options);
}
