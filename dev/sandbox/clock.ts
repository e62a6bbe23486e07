import { setTimeout as sleep } from 'node:timers/promises';

/** The time that passes between webhooks; it can pass faster, such as in tests. */
export class Clock {
	/** How many times faster than real time, for whoever begins to wait from now on. */
	speed = 1;
	private readonly stopping = new AbortController();

	/** Waits. Returns whether the clock still runs. */
	async wait(ms: number): Promise<boolean> {
		const { signal } = this.stopping;
		if (ms > 0) await sleep(ms / this.speed, undefined, { signal, ref: false }).catch(() => null);
		return !signal.aborted;
	}

	/** Ends all waits. */
	stop(): void {
		this.stopping.abort();
	}
}
