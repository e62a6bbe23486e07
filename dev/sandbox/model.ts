import { z } from 'zod/v4';

const perSecond = z.number().positive();

/**
 * How many standard deviations above the median of a normal distribution its 99th percentile lies.
 */
const P99_DEVIATIONS = 2.326;

const latency = z
	.object({
		/** How long a request takes; with a tail, the median. */
		ms: z.number().positive(),
		/** Gives the times a tail (log-normal) in which one of a hundred takes longer than this. */
		p99Ms: z.number().positive().optional(),
		/** Makes the tail repeatable. */
		seed: z.number().int().default(1),
		/** Makes requests slower while others are open: twice as slow at this number. */
		knee: z.number().positive().optional(),
	})
	.strict();

/** A token bucket, which holds the requests of one second. */
const rate = z
	.object({
		perSecond,
		/** Whether a refusal says when to come back. */
		retryAfter: z.boolean().default(false),
		/** Another rate once that many requests have been accepted. */
		change: z.object({ after: z.number().int().positive(), perSecond }).strict().optional(),
	})
	.strict();

/** Body of `PUT /_sandbox/model`: how fast the service is. What is left out has no limit. */
export const modelSchema = z
	.object({
		latency: latency.optional(),
		rate: rate.optional(),
		/** How many requests may be open at once. */
		maxOpen: z.number().int().positive().optional(),
	})
	.strict();
type Settings = z.output<typeof modelSchema>;
/** A model as it's sent. */
export type Model = z.input<typeof modelSchema>;

/** What becomes of a request: it takes its time, or is refused at once. */
export type Admission = { latencyMs: number } | { retryAfterS: number | undefined };

/** The requests to a service that is as fast as its model says. */
export class Traffic {
	private open = 0;
	private readonly bucket: TokenBucket | undefined;
	private readonly random: () => number;

	constructor(private readonly model: Settings = {}) {
		this.bucket = model.rate && new TokenBucket(model.rate);
		this.random = seededRandom(model.latency?.seed ?? 1);
	}

	/**
	 * Admits a request or refuses it. One that is admitted has to `leave`.
	 * @param now in milliseconds
	 */
	enter(now: number): Admission {
		const waitS = this.bucket?.waitS(now) ?? 0;
		if (waitS > 0) {
			return { retryAfterS: this.model.rate?.retryAfter ? Math.ceil(waitS) : undefined };
		}
		if (this.open >= (this.model.maxOpen ?? Infinity)) return { retryAfterS: undefined };
		this.bucket?.take();
		this.open += 1;
		return { latencyMs: this.latencyMs() };
	}

	/** Ends a request that was admitted. */
	leave(): void {
		this.open -= 1;
	}

	private latencyMs(): number {
		if (!this.model.latency) return 0;
		const { ms, p99Ms = ms, knee = Infinity } = this.model.latency;
		const deviation = Math.log(p99Ms / ms) / P99_DEVIATIONS;
		return ms * Math.exp(deviation * this.normal()) * (1 + (this.open / knee) ** 2);
	}

	/** A number of the standard normal distribution (Box-Muller). */
	private normal(): number {
		const radius = Math.sqrt(-2 * Math.log(1 - this.random()));
		return radius * Math.cos(2 * Math.PI * this.random());
	}
}

class TokenBucket {
	private taken = 0;
	private tokens = Infinity;
	private filledAt = 0;

	constructor(private readonly rate: NonNullable<Settings['rate']>) {}

	/** Fills the bucket. Returns how long it takes until it holds a whole token. */
	waitS(now: number): number {
		const { perSecond } = this;
		const filled = this.tokens + ((now - this.filledAt) / 1_000) * perSecond;
		this.tokens = Math.min(filled, Math.max(1, perSecond));
		this.filledAt = now;
		return Math.max(0, (1 - this.tokens) / perSecond);
	}

	take(): void {
		this.tokens -= 1;
		this.taken += 1;
	}

	private get perSecond(): number {
		const { perSecond, change } = this.rate;
		return change && this.taken >= change.after ? change.perSecond : perSecond;
	}
}

/** Mulberry32: numbers from 0 to 1 that repeat with the seed. */
export function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
