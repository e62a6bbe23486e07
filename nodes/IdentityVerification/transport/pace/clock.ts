import { sleep } from 'n8n-workflow';

/** What tells the time, in milliseconds as those of `performance.now()`. Tests have one that jumps. */
export interface Clock {
	now(): number;
	/**
	 * Calls a function once the time has passed.
	 * @returns calls it off
	 */
	after(ms: number, happen: () => void): () => void;
}

/** The clock of this process. */
export const realClock: Clock = {
	now: () => performance.now(),
	after: (ms, happen) => {
		const calledOff = new AbortController();
		// An older n8n's `sleep` takes no signal, and sleeps on to its end.
		const end = () => {
			if (!calledOff.signal.aborted) happen();
		};
		void sleep(ms, calledOff.signal).then(end, () => {});
		return () => calledOff.abort();
	},
};

/** A timer that rings once, at the earliest of the times that it's set to. */
export class Alarm {
	private at = Infinity;

	private callOff = () => {};

	constructor(
		private readonly clock: Clock,
		private readonly ring: () => void,
	) {}

	set(at: number): void {
		if (at >= this.at) return;
		this.off();
		this.at = at;
		this.callOff = this.clock.after(at - this.clock.now(), () => {
			this.at = Infinity;
			this.ring();
		});
	}

	off(): void {
		this.callOff();
		this.at = Infinity;
	}
}
