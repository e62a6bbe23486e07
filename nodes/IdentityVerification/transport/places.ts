/** While nothing is refused, twice as many are tried after this time, and sixteen times as many after twice the time. */
const DOUBLING_MS = 15_000;

/** The same while their number is no more than a guess, in times of an answer. */
const DOUBLING_ANSWERS = 4;

/**
 * How many requests a service works on at once, as far as its refusals tell: those that were open when it
 * refused another one. It isn't so if it then refuses one although fewer are open. Times are in milliseconds.
 */
export class Places {
	/** How many fit, and whether the service has refused one more than that a second time. */
	private fit = Infinity;

	private isCertain = false;

	private isDisproved = false;

	/** When one more than fit was sent, to see whether it is still refused. */
	private triedAt: number | undefined;

	private refusedAt = -Infinity;

	private takenSince = 0;

	/** How many may be open now. */
	most(now: number, answerMs: number): number {
		const guessMs = Math.min(DOUBLING_MS, DOUBLING_ANSWERS * answerMs);
		const doublingMs = this.isCertain ? DOUBLING_MS : guessMs;
		return Math.floor(this.fit * 2 ** (((now - this.refusedAt) / doublingMs) ** 2));
	}

	/** How far apart to send them, so that they don't come all at once: half of what an answer leaves each. */
	spacingMs(answerMs: number): number {
		return answerMs / (2 * this.fit);
	}

	sent(now: number, open: number): void {
		if (open > this.fit) this.triedAt ??= now;
	}

	/** Returns whether more fit than it seemed. */
	taken(sentAt: number): boolean {
		if (sentAt > this.refusedAt) this.takenSince++;
		if (sentAt !== this.triedAt) return false;
		this.isDisproved = !this.isCertain;
		this.fit = Infinity;
		this.isCertain = false;
		this.triedAt = undefined;
		return true;
	}

	/**
	 * @param open how many are still open
	 * @returns whether too many were open, as far as is known; otherwise the service limits something else
	 */
	refused(now: number, sentAt: number, open: number): boolean {
		if (this.isDisproved) return false;
		if (open > 0 && sentAt < this.refusedAt) {
			this.fit = Math.min(this.fit, open);
			return true;
		}
		const isKnown = this.fit < Infinity;
		const isFull = this.takenSince >= this.fit / 2 && open + 1 >= this.fit;
		this.isDisproved = open === 0 || (isKnown && sentAt !== this.triedAt && !isFull);
		this.isCertain = isKnown;
		this.fit = this.isDisproved ? Infinity : Math.min(this.fit, open);
		this.triedAt = undefined;
		this.refusedAt = now;
		this.takenSince = 0;
		return !this.isDisproved;
	}
}
