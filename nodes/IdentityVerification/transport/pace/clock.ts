import { sleep } from 'n8n-workflow';

/** Tells the time in milliseconds, as `performance.now()` does. Tests have a clock that jumps. */
export interface Clock {
	now(): number;
	/**
	 * Calls a function once, after this time.
	 * @returns cancels the call
	 */
	after(ms: number, callback: () => void): () => void;
}

/** The clock of this process. */
export const realClock: Clock = {
	now: () => performance.now(),
	after: (ms, callback) => {
		const canceled = new AbortController();
		// In an older n8n, `sleep` takes no signal, so it goes on after it was canceled.
		const callUnlessCanceled = () => {
			if (!canceled.signal.aborted) callback();
		};
		void sleep(ms, canceled.signal).then(callUnlessCanceled, () => {});
		return () => canceled.abort();
	},
};

/** A timer that rings once, at the earliest time for which it was set. */
export class Alarm {
	private ringsAt = Infinity;

	private cancelCall = () => {};

	constructor(
		private readonly clock: Clock,
		private readonly ring: () => void,
	) {}

	set(at: number): void {
		if (at >= this.ringsAt) return;
		this.cancel();
		this.ringsAt = at;
		this.cancelCall = this.clock.after(at - this.clock.now(), () => {
			this.ringsAt = Infinity;
			this.ring();
		});
	}

	cancel(): void {
		this.cancelCall();
		this.ringsAt = Infinity;
	}
}
