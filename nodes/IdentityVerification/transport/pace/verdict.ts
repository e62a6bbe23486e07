/** What the gate decides about a request that waits for its turn. */
export type Verdict =
	| { kind: 'send' }
	/** The request's run has ended, or the service has refused for too long. */
	| { kind: 'turnAway' }
	/** For this many milliseconds. Infinity means until an open request is answered. */
	| { kind: 'wait'; ms: number };

export const SEND: Verdict = { kind: 'send' };

export const TURN_AWAY: Verdict = { kind: 'turnAway' };

export const WAIT_FOR_AN_ANSWER: Verdict = { kind: 'wait', ms: Infinity };

export function sendAfter(ms: number): Verdict {
	return ms > 0 ? { kind: 'wait', ms } : SEND;
}

/** Turning away is stricter than waiting, and a longer wait is stricter than a shorter one. */
export function stricter(one: Verdict, other: Verdict): Verdict {
	if (one.kind === 'turnAway' || other.kind === 'send') return one;
	if (other.kind === 'turnAway' || one.kind === 'send') return other;
	return one.ms > other.ms ? one : other;
}
