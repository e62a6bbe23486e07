import { MOST_OPEN, Pace } from '../../nodes/IdentityVerification/transport/pace/pace';

/** A service: how long it takes to answer, and what it refuses with 429. */
export interface Service {
	/** Milliseconds, by how many requests are open at the service and how many it has taken so far. */
	latencyMs(open: number, taken: number): number;
	/** Requests that it takes in a second; its bucket holds `burst` of them. */
	perSecond?(ms: number): number;
	burst?: number;
	/** Whether a refusal says after how many whole seconds to come again. */
	hasRetryAfter?: boolean;
	/** How many requests it works on at once. */
	mostOpen?: number;
	/** How long a refusal is on its way. */
	refusalMs?: number;
}

/** How a run went, in milliseconds since its start. */
export interface Run {
	/** The documents in the order in which they were done. */
	finished: number[];
	requests: number;
	mostOpen: number;
	ms: number;
	/** After each answer: when it arrived, how many were open, and whether it was a 429. */
	answers: { ms: number; open: number; isRefused: boolean }[];
}

const LONGEST_RUN_MS = 24 * 3_600_000;

/**
 * Sends documents to a service at the pace of `Pace`, by a clock that jumps from event to event.
 * @param parallel how many documents are worked on at the same time
 */
export function simulate(service: Service, documents: number, parallel = MOST_OPEN): Run {
	const clock = new Clock();
	const pace = new Pace();
	const refuses = refusals(service, clock);
	const waiting: number[] = [];
	const refused = new Map<number, number>();
	let begun = 0;
	const run: Run = { finished: [], requests: 0, mostOpen: 0, ms: 0, answers: [] };
	let openAtService = 0;
	const answer = (document: number, sentAt: number, retryAfterMs?: number) => {
		const isRefused = retryAfterMs !== undefined;
		if (isRefused) {
			const refusals = (refused.get(document) ?? 0) + 1;
			refused.set(document, refusals);
			waiting.splice(2 ** refusals, 0, document);
		} else run.finished.push(document);
		pace.answered(clock.now, true, {
			kind: isRefused ? 'refused' : 'taken',
			sentAt,
			tookMs: clock.now - sentAt,
			retryAfterMs,
		});
		run.answers.push({ ms: clock.now, open: pace.open, isRefused });
		sendAll();
	};
	const send = (document: number) => {
		const sentAt = clock.now;
		pace.sent(sentAt, true);
		run.requests++;
		run.mostOpen = Math.max(run.mostOpen, pace.open);
		const retryAfterMs = refuses(openAtService);
		if (retryAfterMs !== undefined) {
			return clock.in(service.refusalMs ?? 2, () => answer(document, sentAt, retryAfterMs));
		}
		openAtService++;
		clock.in(service.latencyMs(openAtService, run.finished.length), () => {
			openAtService--;
			answer(document, sentAt);
		});
	};
	let wakesAt = Infinity;
	const wakeIn = (ms: number) => {
		if (wakesAt <= clock.now + ms) return;
		wakesAt = clock.now + ms;
		clock.in(ms, () => {
			wakesAt = Infinity;
			sendAll();
		});
	};
	const sendAll = () => {
		while (begun < documents && begun - run.finished.length < parallel) waiting.push(begun++);
		for (let ms = 0; ms === 0 && waiting.length > 0; ) {
			ms = pace.waitMs(clock.now, true);
			if (ms === 0) send(waiting.shift() ?? 0);
			else if (ms < Infinity) wakeIn(ms);
		}
	};
	sendAll();
	while (run.finished.length < documents && clock.now < LONGEST_RUN_MS && clock.next());
	return { ...run, ms: clock.now };
}

/** Gives undefined for a request that is taken, and how long a refused one is asked to wait. */
function refusals(service: Service, clock: Clock): (open: number) => number | undefined {
	const { perSecond, hasRetryAfter = false, mostOpen = Infinity } = service;
	const burst = service.burst ?? Math.max(1, perSecond?.(0) ?? 1);
	let tokens = burst;
	let filledAt = 0;
	return (open) => {
		const rate = (perSecond?.(clock.now) ?? Infinity) / 1_000;
		tokens = Math.min(burst, tokens + (clock.now - filledAt) * rate);
		filledAt = clock.now;
		if (Number.isNaN(tokens)) tokens = burst;
		if (tokens >= 1 && open < mostOpen) {
			tokens--;
			return undefined;
		}
		return hasRetryAfter && rate > 0 ? Math.ceil((1 - tokens) / rate / 1_000) * 1_000 : 0;
	};
}

class Clock {
	now = 0;

	private events: { at: number; happen: () => void }[] = [];

	in(ms: number, happen: () => void): void {
		this.events.push({ at: this.now + ms, happen });
	}

	/** Jumps to the next event. Returns false when there is none. */
	next(): boolean {
		const first = this.events.reduce((a, b) => (b.at < a.at ? b : a), this.events[0] ?? NEVER);
		if (first === NEVER) return false;
		this.events.splice(this.events.indexOf(first), 1);
		this.now = Math.max(this.now, first.at);
		first.happen();
		return true;
	}
}

const NEVER = { at: Infinity, happen: () => undefined };
