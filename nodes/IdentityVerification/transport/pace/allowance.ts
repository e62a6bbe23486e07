import type { SentRequest } from './lane';

/** How many the service can handle isn't documented. */
export const MAX_OPEN = 64;

/** Few enough for a small service. */
const INITIAL_OPEN = 4;

/** How many requests of an account may be open. */
export class Allowance {
	private open = 0;

	/** A fraction counts once it has grown to one more. */
	private size = INITIAL_OPEN;

	private halvedAt = -Infinity;

	/** The request in the place beyond the size. */
	private extra: SentRequest | undefined;

	/** After a failure or a refusal there, the extra place is closed until one finds a usual place. */
	private isExtraClosed = false;

	/**
	 * @param openOfLane how many of the lane's requests are open
	 * @param lanes how many lanes share the size
	 */
	hasPlace(openOfLane: number, lanes: number): boolean {
		if (this.open < Math.floor(this.size)) return openOfLane < this.size / lanes;
		return openOfLane === 0 && !this.extra && !this.isExtraClosed;
	}

	sent(request: SentRequest): void {
		if (this.open >= Math.floor(this.size)) this.extra = request;
		else this.isExtraClosed = false;
		this.open++;
	}

	ended(request: SentRequest): void {
		this.open--;
		if (request === this.extra) this.extra = undefined;
	}

	/**
	 * The size grows only if all places were taken. Otherwise, requests sent one after the other would
	 * let a later batch begin with 64. Call this before `ended`.
	 */
	accepted({ sentAt }: SentRequest): void {
		if (sentAt < this.halvedAt || this.open < Math.floor(this.size)) return;
		const growth = this.halvedAt === -Infinity ? 1 : 1 / this.size;
		this.size = Math.min(MAX_OPEN, this.size + growth);
	}

	/** A request was refused or has failed. Call this before `ended`. */
	halve(now: number, request: SentRequest): void {
		if (request === this.extra) this.isExtraClosed = true;
		if (request.sentAt < this.halvedAt) return;
		this.size = Math.max(1, this.size / 2);
		this.halvedAt = now;
	}
}
