import type { Logger } from 'n8n-workflow';

/** How often the progress of a long run is logged, in milliseconds. */
export const LOGGED_EVERY_MS = 30_000;

/** Counts the requests of one node run, and logs them while it lasts. Holds no personal data. */
export class Progress {
	/** Includes resent requests. */
	sentInAll = 0;
	private open = 0;
	private mostOpen = 0;
	private answered = 0;
	private refused = 0;
	private readonly startedAt = performance.now();
	private loggedAt = this.startedAt;

	constructor(private readonly logger: Logger) {}

	sent(): void {
		this.sentInAll++;
		this.open++;
		this.mostOpen = Math.max(this.mostOpen, this.open);
	}

	answer(statusCode: number): void {
		if (statusCode === 429) this.refused++;
		else this.answered++;
		this.log();
	}

	/** Call this when a request is over, with or without an answer. */
	ended(): void {
		this.open--;
	}

	/** Logs the run's progress, unless it was logged a moment ago. */
	log(): void {
		if (performance.now() - this.loggedAt < LOGGED_EVERY_MS) return;
		this.loggedAt = performance.now();
		this.logger.info(`Identity Verification: ${this.summary}`);
	}

	/** Whether the run is worth a summary: it had several requests, or a refused one. */
	get hasSummary(): boolean {
		return this.answered > 1 || this.refused > 0;
	}

	/** Such as `40 requests in 12 s, up to 8 at a time; the service asked 3 times to slow down`. */
	get summary(): string {
		const { answered, mostOpen, refused } = this;
		const seconds = ((performance.now() - this.startedAt) / 1_000).toFixed(1);
		const requests = `${answered} ${answered === 1 ? 'request' : 'requests'} in ${seconds} s`;
		const times = ['', 'once', 'twice'][refused] ?? `${refused} times`;
		const slower = refused === 0 ? '' : `; the service asked ${times} to slow down`;
		return `${requests}, up to ${mostOpen} at a time${slower}`;
	}
}
