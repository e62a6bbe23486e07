import type { RequestEnd } from '../../../nodes/IdentityVerification/transport/pace/lane';
import type { JumpingClock } from './jumpingClock';
import type { Receiver } from './simulation';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** How the pace does at a vendor that answers after this time. */
interface Figures {
	latencyMs: number;
	/** To the best time that the limit allows. */
	time: number;
	/** A document. */
	requests: number;
}

/** A vendor's limit: so many requests in each window of its clock. */
interface Vendor {
	name: string;
	most: number;
	windowMs: number;
	hasRetryAfter?: boolean;
	figures: Figures[];
}

/**
 * Limits of real verification vendors, as their own pages state them. None limits how many requests
 * are open at once, and none says what a profile may.
 */
export const VENDORS: Vendor[] = [
	{
		name: 'Jumio 5 per 5 s',
		most: 5,
		windowMs: 5 * SECOND,
		figures: [
			{ latencyMs: 300, time: 1.08, requests: 1.77 },
			{ latencyMs: 3_000, time: 1.4, requests: 1.15 },
		],
	},
	{
		name: 'Jumio 15 per 5 s',
		most: 15,
		windowMs: 5 * SECOND,
		figures: [
			{ latencyMs: 300, time: 1.25, requests: 1.31 },
			{ latencyMs: 3_000, time: 1.6, requests: 1.02 },
		],
	},
	{
		name: 'Jumio 75 per 5 s',
		most: 75,
		windowMs: 5 * SECOND,
		figures: [
			{ latencyMs: 300, time: 1.2, requests: 1.1 },
			{ latencyMs: 3_000, time: 1.95, requests: 1.0 },
		],
	},
	{
		name: 'DIDWW 10 a second',
		most: 10,
		windowMs: SECOND,
		hasRetryAfter: true,
		figures: [
			{ latencyMs: 300, time: 1.87, requests: 1.1 },
			{ latencyMs: 3_000, time: 3.34, requests: 1.03 },
		],
	},
	{
		name: 'Cashfree 5 a minute',
		most: 5,
		windowMs: MINUTE,
		figures: [
			{ latencyMs: 300, time: 1.01, requests: 3.17 },
			{ latencyMs: 3_000, time: 1.03, requests: 2.93 },
		],
	},
	{
		name: 'Cashfree 100 a minute',
		most: 100,
		windowMs: MINUTE,
		figures: [
			{ latencyMs: 300, time: 1.04, requests: 1.14 },
			{ latencyMs: 3_000, time: 1.18, requests: 1.08 },
		],
	},
	{
		name: 'Cashfree 200 a minute',
		most: 200,
		windowMs: MINUTE,
		figures: [
			{ latencyMs: 300, time: 1.04, requests: 1.09 },
			{ latencyMs: 3_000, time: 1.25, requests: 1.03 },
		],
	},
	{
		name: 'Verifa 300 a minute',
		most: 300,
		windowMs: MINUTE,
		hasRetryAfter: true,
		figures: [
			{ latencyMs: 300, time: 1.02, requests: 1.01 },
			{ latencyMs: 3_000, time: 1.16, requests: 1.0 },
		],
	},
	{
		name: 'Verifa 1,000 a minute',
		most: 1_000,
		windowMs: MINUTE,
		figures: [
			{ latencyMs: 300, time: 1.15, requests: 1.02 },
			{ latencyMs: 3_000, time: 1.84, requests: 1.0 },
		],
	},
	{
		name: 'iDenfy 10,000 an hour',
		most: 10_000,
		windowMs: 60 * MINUTE,
		figures: [
			{ latencyMs: 300, time: 1.17, requests: 1.0 },
			{ latencyMs: 3_000, time: 1.09, requests: 1.0 },
		],
	},
];

/** Accepts so many requests in each window of its clock, and refuses the others. */
export class WindowedService implements Receiver {
	requests = 0;

	private taken = 0;

	private window = -1;

	constructor(
		private readonly clock: JumpingClock,
		private readonly vendor: Omit<Vendor, 'figures'>,
		private readonly latencyMs: number,
	) {}

	request(_lane: string, answered: (end: RequestEnd) => void): void {
		this.requests++;
		const { most, windowMs, hasRetryAfter } = this.vendor;
		const now = this.clock.now();
		const window = Math.floor(now / windowMs);
		if (window !== this.window) [this.window, this.taken] = [window, 0];
		if (this.taken >= most) {
			const left = Math.ceil(((window + 1) * windowMs - now) / SECOND) * SECOND;
			const retryAfterMs = hasRetryAfter ? left : undefined;
			this.clock.after(30, () => answered({ kind: 'refused', retryAfterMs }));
			return;
		}
		this.taken++;
		const spread = 0.8 + 0.4 * ((this.requests * 1.618) % 1);
		this.clock.after(this.latencyMs * spread, () => answered({ kind: 'accepted' }));
	}
}
