/** What becomes of a request that waits for its turn. */
export type Verdict =
	| { kind: 'send' }
	/** Its run has ended, or the service has refused for too long. */
	| { kind: 'turnAway' }
	/** How long, in milliseconds; Infinity until one that is open is answered. */
	| { kind: 'wait'; ms: number };

export const SEND: Verdict = { kind: 'send' };

export const TURN_AWAY: Verdict = { kind: 'turnAway' };

export const WAIT_FOR_AN_ANSWER: Verdict = { kind: 'wait', ms: Infinity };

export function sendAfter(ms: number): Verdict {
	return ms > 0 ? { kind: 'wait', ms } : SEND;
}

/** A request is sent when both verdicts say so, and turned away when one does. */
export function both(one: Verdict, other: Verdict): Verdict {
	if (one.kind === 'turnAway' || other.kind === 'send') return one;
	if (other.kind === 'turnAway' || one.kind === 'send') return other;
	return one.ms > other.ms ? one : other;
}
