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

/** A token bucket. */
const rate = z
	.object({
		perSecond,
		/** How many requests may arrive at once after a rest; otherwise those of one second. */
		burst: z.number().min(1).optional(),
		/** Whether a refusal says when to come back. */
		retryAfter: z.boolean().default(false),
		/** Another rate once that many requests have been accepted. */
		change: z.object({ after: z.number().int().positive(), perSecond }).strict().optional(),
	})
	.strict();

/** A limit of some requests alone. */
const quota = z
	.object({
		/** The requests with this endpoint and profile; without one of them, with any. */
		endpoint: z.enum(['scan', 'hosted']).optional(),
		profile: z.string().optional(),
		/** Without a rate, all of them are refused. */
		rate: rate.optional(),
	})
	.strict();

/** Body of `PUT /_sandbox/model`: how fast the service is. What is left out has no limit. */
export const modelSchema = z
	.object({
		latency: latency.optional(),
		rate: rate.optional(),
		/** How many requests may be open at once. */
		maxOpen: z.number().int().positive().optional(),
		quotas: z.array(quota).optional(),
	})
	.strict();
type Settings = z.output<typeof modelSchema>;
/** A model as it's sent. */
export type Model = z.input<typeof modelSchema>;

/** What a request is for. */
export interface Purpose {
	endpoint: 'scan' | 'hosted';
	profile: unknown;
}

/** What becomes of a request: it takes its time, or is refused at once. */
export type Admission = { latencyMs: number } | { retryAfterS: number | undefined };

/** The requests to a service that is as fast as its model says. */
export class Traffic {
	private open = 0;
	private readonly quotas: Quota[];
	private readonly random: () => number;

	constructor(private readonly model: Settings = {}) {
		const { rate, quotas = [] } = model;
		this.quotas = [...(rate ? [{ rate }] : []), ...quotas].map((each) => new Quota(each));
		this.random = seededRandom(model.latency?.seed ?? 1);
	}

	/**
	 * Admits a request or refuses it. One that is admitted has to `leave`.
	 * @param now in milliseconds
	 */
	enter(now: number, purpose: Purpose): Admission {
		const quotas = this.quotas.filter((quota) => quota.isFor(purpose));
		for (const quota of quotas) {
			const waitS = quota.waitS(now);
			if (waitS > 0) return { retryAfterS: quota.saysWhen ? Math.ceil(waitS) : undefined };
		}
		if (this.open >= (this.model.maxOpen ?? Infinity)) return { retryAfterS: undefined };
		for (const quota of quotas) quota.take();
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

/** What it's for, and its token bucket. */
class Quota {
	private readonly bucket: TokenBucket | undefined;

	constructor(private readonly settings: NonNullable<Settings['quotas']>[number]) {
		this.bucket = settings.rate && new TokenBucket(settings.rate);
	}

	/** Whether a refusal says when to come back. */
	get saysWhen(): boolean {
		return this.settings.rate?.retryAfter ?? false;
	}

	isFor(purpose: Purpose): boolean {
		const { endpoint = purpose.endpoint, profile = purpose.profile } = this.settings;
		return endpoint === purpose.endpoint && profile === purpose.profile;
	}

	/** How long it takes until it takes a request. */
	waitS(now: number): number {
		return this.bucket ? this.bucket.waitS(now) : Infinity;
	}

	take(): void {
		this.bucket?.take();
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
		this.tokens = Math.min(filled, this.rate.burst ?? Math.max(1, perSecond));
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
function seededRandom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
