import { sleep } from 'n8n-workflow';

import type { Answer, Connection } from '../request';
import { Pace } from './pace';
import type { Ending } from './pace';
import { LOGGED_EVERY_MS } from './progress';
import type { PacedRun } from './progress';

/** How long a pace is kept after its last request. */
const KEPT_MS = 60_000;

/** A request that waits: the one with the lowest turn is next. */
interface Waiting {
	run: PacedRun;
	turn: number;
	/** Called with the time when it may be sent; with undefined when it's turned away. */
	end(sentAt: number | undefined): void;
}

/** Sends the requests of all node runs at the rate the service allows: the runs take turns. */
export class Gate {
	private readonly pace = new Pace();
	private waiting: Waiting[] = [];
	private highestTurn = 0;
	private wakesAt = Infinity;
	private isAboutToPass = false;
	private usedAt = performance.now();

	/** Whether it has no state worth keeping. */
	get isStale(): boolean {
		const now = performance.now();
		const isIdle = this.pace.open === 0 && this.waiting.length === 0;
		return isIdle && this.pace.waitMs(now, false) === 0 && now - this.usedAt > KEPT_MS;
	}

	/**
	 * Waits until a request may be sent.
	 * @param refusals how often the service has refused this request: each time, more requests go first
	 * @returns when it was let through, after which `leave` has to be called; undefined when the run has ended, or
	 * the service refuses everything beyond the run's patience
	 */
	async enter(run: PacedRun, refusals: number): Promise<number | undefined> {
		// Adding the same listener again does nothing.
		run.ended.addEventListener('abort', this.letPass);
		return await new Promise((end) => {
			const own = this.waiting.filter((other) => other.run === run).length;
			const turn = this.highestTurn + (refusals === 0 ? own + 1 : 2 ** refusals);
			this.waiting.push({ run, turn, end });
			this.letPassAfter(Promise.resolve());
		});
	}

	/** Ends a request that was let through. */
	leave({ ended, isAutomatic, progress }: PacedRun, ending: Ending): void {
		this.usedAt = performance.now();
		progress.ended();
		const kind = ended.aborted ? 'unknown' : ending.kind;
		this.pace.answered(this.usedAt, isAutomatic, { ...ending, kind });
		// Not at once: if it has failed, its run may be about to end.
		this.letPassAfter(sleep(0));
	}

	/** Once for all requests that wait for it: a thousand can be open. */
	private letPassAfter(event: Promise<void>): void {
		if (this.isAboutToPass) return;
		this.isAboutToPass = true;
		void event.then(this.letPass);
	}

	private readonly letPass = (): void => {
		const now = performance.now();
		this.isAboutToPass = false;
		this.waiting.sort((a, b) => a.turn - b.turn);
		this.waiting = this.waiting.filter((request) => !this.settle(now, request));
	};

	/** Lets a request pass or turns it away, if it has waited long enough for either. */
	private settle(now: number, { run, turn, end }: Waiting): boolean {
		const ms = this.pace.waitMs(now, run.isAutomatic);
		const isTooLong = this.isTooLong(now, ms, run);
		if (run.ended.aborted || (isTooLong && this.pace.heldAt >= run.since)) {
			end(undefined);
			return true;
		}
		// A run that began during the pause probes whether it still holds.
		if (ms > 0 && !(isTooLong && this.pace.open === 0)) {
			this.wakeIn(now, ms);
			return false;
		}
		if (turn > this.highestTurn) this.highestTurn++;
		this.pace.sent(now, run.isAutomatic);
		run.progress.sent();
		end(now);
		return true;
	}

	private isTooLong(now: number, ms: number, run: PacedRun): boolean {
		const from = Math.max(this.pace.refusedSince ?? now, run.since);
		if (ms === 0 || ms === Infinity || now + ms - from <= run.patienceMs) return false;
		// A request that is still open may be taken.
		return this.pace.open === 0 || this.pace.heldUntil - now > run.patienceMs;
	}

	private wakeIn(now: number, ms: number): void {
		if (this.wakesAt <= now + ms) return;
		this.wakesAt = now + ms;
		void sleep(Math.min(ms, LOGGED_EVERY_MS)).then(() => {
			this.wakesAt = Infinity;
			for (const { run } of this.waiting) run.progress.log();
			this.letPass();
		});
	}
}

const gates = new Map<string, Gate>();

/** The gate for all node runs with a credential in this n8n process. */
function gateTo(target: string, credentialId: string): Gate {
	for (const [key, gate] of gates) if (gate.isStale) gates.delete(key);
	const key = JSON.stringify([target, credentialId]);
	const gate = gates.get(key) ?? new Gate();
	gates.set(key, gate);
	return gate;
}

/** Until `closed` resolves, the body is arriving, and the request counts as open. */
type Opened = Answer<unknown> & { closed?: Promise<void> };

/**
 * Sends a request when the pace of its target allows it, and again as long as the answer is a 429: it
 * says that the request wasn't processed, so it costs nothing.
 * @param target what has a pace of its own, such as a host
 * @returns the first other answer, or the last 429 when the service refuses everything for too long;
 * undefined when nothing was sent because of that, or because sending has ended
 */
export async function sendPaced<Received extends Opened>(
	{ run, service }: Connection,
	target: string,
	send: () => Promise<Received>,
): Promise<Received | undefined> {
	const gate = gateTo(target, service.credential.id);
	let refusal: Received | undefined;
	for (let refusals = 0; ; refusals++) {
		const sentAt = await gate.enter(run, refusals);
		if (sentAt === undefined) return run.ended.aborted ? undefined : refusal;
		const answer = await send().catch((error: unknown) => {
			gate.leave(run, { kind: 'failed', sentAt, tookMs: performance.now() - sentAt });
			throw error;
		});
		run.progress.answer(answer.statusCode);
		const ending: Ending = { ...outcomeOf(answer), sentAt, tookMs: performance.now() - sentAt };
		if (answer.closed) void answer.closed.then(() => gate.leave(run, ending));
		else gate.leave(run, ending);
		if (answer.statusCode !== 429) return answer;
		refusal = answer;
	}
}

/** Only a Retry-After of 429 and 503 is meant for all requests. */
function outcomeOf(answer: Answer<unknown>): Pick<Ending, 'kind' | 'retryAfterMs'> {
	const { statusCode } = answer;
	if (statusCode === 429) return { kind: 'refused', retryAfterMs: retryAfterOf(answer) };
	if (statusCode === 503) return { kind: 'failed', retryAfterMs: retryAfterOf(answer) };
	if (statusCode === 502 || statusCode === 504) return { kind: 'failed' };
	return { kind: statusCode >= 200 && statusCode < 300 ? 'taken' : 'answered' };
}

/** It is in seconds, or a date by the service's clock. */
function retryAfterOf({ headers }: Answer<unknown>): number | undefined {
	const header = headers['retry-after'] ?? '';
	const answeredAt = Date.parse(headers.date ?? '') || Date.now();
	const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - answeredAt;
	return Number.isNaN(ms) ? undefined : Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, ms));
}
