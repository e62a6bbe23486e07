import { sleep } from 'n8n-workflow';

import { Pace } from './pace';
import type { Ending } from './pace';
import type { Progress } from './progress';

/** How many requests Automatic opens at most, because nobody has said how many the service can handle. */
export const MOST_OPEN = 64;

/** How long what was learned of a service is kept after its last request, in milliseconds. */
const KEPT_MS = 60_000;

/** A longer wait is looked at again after this time, in milliseconds. */
const LONGEST_SLEEP_MS = 30_000;

/** A node run whose requests wait for their turn. Times are those of `performance.now()`. */
export interface PacedRun {
	/** False when the user has set Max Parallel Requests: the run then keeps to that number itself. */
	isAutomatic: boolean;
	/** How long the service may refuse all requests, in milliseconds. */
	patienceMs: number;
	/** When the run began: earlier refusals don't count. */
	since: number;
	progress: Progress;
	/** Aborted when nothing more is sent: another item has failed, or the execution is canceled. */
	ended: AbortSignal;
}

/** The waiting requests of a run. Each is called with the time when it may be sent, or with undefined when it is turned away. */
interface Queue {
	requests: Array<(sentAt: number | undefined) => void>;
	/** The run with the lowest one is next. */
	turn: number;
	turnAway(): void;
}

/** Lets the requests of all node runs be sent at the rate the service allows: the runs take turns. */
export class Gate {
	private readonly pace = new Pace(MOST_OPEN);

	private readonly waiting = new Map<PacedRun, Queue>();

	/** How many requests were let pass. */
	private passed = 0;

	/** When it looks again by itself. */
	private wakesAt = Infinity;

	private usedAt = performance.now();

	/** Whether it has no state worth keeping. */
	get isStale(): boolean {
		const now = performance.now();
		const isIdle = this.pace.open === 0 && this.waiting.size === 0;
		return isIdle && this.pace.waitMs(now, false) === 0 && now - this.usedAt > KEPT_MS;
	}

	/**
	 * Waits until a request may be sent.
	 * @param refusals how often the service has refused this request: each time, more other requests go
	 * first, because the service may be refusing this one only
	 * @returns the time at which it was let pass, after which `leave` has to be called; undefined when the run has ended, or the
	 * service refuses all requests for longer than the run has patience
	 */
	async enter(run: PacedRun, refusals: number): Promise<number | undefined> {
		if (run.ended.aborted) return undefined;
		return await new Promise((resolve) => {
			const { requests } = this.waiting.get(run) ?? this.begin(run, refusals);
			requests.splice(refusals === 0 ? requests.length : 2 ** refusals, 0, resolve);
			this.letPass();
		});
	}

	/** Takes what became of a request that was let pass. */
	leave(ending: Ending): void {
		this.usedAt = performance.now();
		this.pace.answered(this.usedAt, ending);
		// Not at once: if it has failed, its run may be about to end.
		void sleep(0).then(() => this.letPass());
	}

	private begin(run: PacedRun, refusals: number): Queue {
		const requests: Queue['requests'] = [];
		const queue: Queue = {
			requests,
			turn: this.passed + (refusals === 0 ? 1 : 2 ** refusals),
			turnAway: () => {
				this.end(run, queue);
				for (const request of requests) request(undefined);
			},
		};
		this.waiting.set(run, queue);
		run.ended.addEventListener('abort', queue.turnAway);
		return queue;
	}

	private end(run: PacedRun, queue: Queue): void {
		this.waiting.delete(run);
		run.ended.removeEventListener('abort', queue.turnAway);
	}

	private letPass(): void {
		while (this.letOnePass());
	}

	private letOnePass(): boolean {
		const now = performance.now();
		const runs = [...this.waiting].sort(([, a], [, b]) => a.turn - b.turn);
		for (const [run, queue] of runs) {
			const ms = this.pace.waitMs(now, run.isAutomatic);
			if (ms === Infinity) continue;
			const isTooLong = ms > 0 && this.isTooLong(now, ms, run);
			if (isTooLong && this.pace.heldAt >= run.since) {
				queue.turnAway();
			} else if (ms === 0 || (isTooLong && this.pace.open === 0)) {
				// A run that began after the pause was asked for sends one request to see whether it still holds.
				this.send(now, run, queue);
				return true;
			} else {
				this.wakeIn(now, ms);
			}
		}
		return false;
	}

	private send(now: number, run: PacedRun, queue: Queue): void {
		const request = queue.requests.shift();
		queue.turn = ++this.passed + 1;
		if (queue.requests.length === 0) this.end(run, queue);
		this.pace.sent(now, run.isAutomatic);
		request?.(now);
	}

	private isTooLong(now: number, ms: number, run: PacedRun): boolean {
		const from = Math.max(this.pace.refusedSince ?? now, run.since);
		if (now + ms - from <= run.patienceMs) return false;
		// A request that is still open may be taken.
		return this.pace.open === 0 || this.pace.heldUntil - now > run.patienceMs;
	}

	private wakeIn(now: number, ms: number): void {
		if (this.wakesAt <= now + ms) return;
		this.wakesAt = now + ms;
		void sleep(Math.min(ms, LONGEST_SLEEP_MS)).then(() => {
			this.wakesAt = Infinity;
			for (const run of this.waiting.keys()) run.progress.log();
			this.letPass();
		});
	}
}

const gates = new Map<string, Gate>();

/** The gate to a target, such as a host, for all node runs with a credential in this n8n process. */
export function gateTo(target: string, credentialId: string): Gate {
	for (const [key, gate] of gates) if (gate.isStale) gates.delete(key);
	const key = JSON.stringify([target, credentialId]);
	const gate = gates.get(key) ?? new Gate();
	gates.set(key, gate);
	return gate;
}
