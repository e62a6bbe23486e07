/** How long to wait, after a refusal, until twice as many may be open; sixteen times as many after twice the time. */
const DOUBLING_MS = 15_000;

/** The same for a guess that nothing has confirmed, in times of an answer. */
const DOUBLING_ANSWERS = 4;

/** A service with so few places can hardly be told from one that limits a rate. */
const TOO_FEW = 2;

/**
 * How many requests a service works on at once, by a guess and a check. The guess is how many it still worked
 * on when it refused one. The check is a try: one more than that, sent after a while. If it is refused too, the
 * guess is certain; if it is taken, the guess was wrong. Times are in milliseconds.
 */
export class Places {
	/** How many requests fit; Infinity while there is no guess. */
	private fit = Infinity;

	/** Whether a try was refused, too. */
	private isCertain = false;

	/** Set for good once it is clear that the service limits something else. */
	private isDisproved = false;

	/** When the open try was sent; this identifies it. */
	private triedAt: number | undefined;

	private refusedAt = -Infinity;

	/** How many were sent and taken since the last refusal. */
	private takenSince = 0;

	/**
	 * How long to wait until one more may be sent.
	 * @param answerMs how long an answer takes
	 */
	waitMs(now: number, answerMs: number, open: number): number {
		if (open < this.fit) return 0;
		const guessMs = Math.min(DOUBLING_MS, DOUBLING_ANSWERS * answerMs);
		const doublingMs = this.isCertain ? DOUBLING_MS : guessMs;
		const doublings = Math.sqrt(Math.log2((open + 1) / this.fit));
		return Math.max(0, this.refusedAt + doublings * doublingMs - now);
	}

	/** How far apart to send requests. They are spread over half an answer's time, so that they don't all end at once. */
	spacingMs(answerMs: number): number {
		return answerMs / (2 * this.fit);
	}

	/** @param open how many are open with the one that was sent */
	sent(now: number, open: number): void {
		if (open > this.fit) this.triedAt ??= now;
	}

	/** Returns whether more fit than it seemed. */
	taken(sentAt: number): boolean {
		if (sentAt > this.refusedAt) this.takenSince++;
		if (sentAt !== this.triedAt) return false;
		this.isDisproved = !this.isCertain || this.fit <= TOO_FEW;
		this.isCertain = false;
		this.fit = Infinity;
		return true;
	}

	/**
	 * @param open how many are open without the one that was refused
	 * @returns whether too many were open, as far as is known; otherwise the service limits something else
	 */
	refused(now: number, sentAt: number, open: number): boolean {
		if (this.isDisproved) return false;
		// One of those that were refused together: each shows that fewer fit.
		if (open > 0 && sentAt < this.refusedAt) {
			this.fit = Math.min(this.fit, open);
			return true;
		}
		const isGuessed = this.fit < Infinity;
		const looksFull = this.takenSince >= this.fit / 2 && open + 1 >= this.fit;
		this.isDisproved = open === 0 || (isGuessed && sentAt !== this.triedAt && !looksFull);
		this.isCertain = isGuessed;
		this.fit = this.isDisproved ? Infinity : Math.min(this.fit, open);
		this.triedAt = undefined;
		this.refusedAt = now;
		this.takenSince = 0;
		return !this.isDisproved;
	}

	/** After `taken` or `refused`, or without them: the try can end in another way. */
	ended(sentAt: number): void {
		if (sentAt === this.triedAt) this.triedAt = undefined;
	}
}
