import type { Clock } from '../../../nodes/IdentityVerification/transport/pace/clock';

interface Event {
	at: number;
	/** Of events at the same time, the first to be set happens first. */
	order: number;
	callback: () => void;
}

/** A clock that jumps from event to event, so a day takes no longer than what happens in it. */
export class JumpingClock implements Clock {
	private order = 0;

	/** A heap: each event is before the two at twice its place. */
	private readonly events: Event[] = [];

	/** @param time when it begins, in milliseconds */
	constructor(private time = 0) {}

	now(): number {
		return this.time;
	}

	/** How many events are still to come. */
	get pending(): number {
		return this.events.length;
	}

	after(ms: number, callback: () => void): void {
		this.events.push({ at: this.time + ms, order: this.order++, callback });
		this.rise(this.events.length - 1);
	}

	/** Jumps to the next event. Returns false when there is none. */
	next(): boolean {
		const first = this.take();
		if (!first) return false;
		this.time = Math.max(this.time, first.at);
		first.callback();
		return true;
	}

	/** Lets some time pass, with all that happens in it. */
	pass(ms: number): void {
		const end = this.time + ms;
		while ((this.events[0]?.at ?? Infinity) <= end && this.next());
		this.time = Math.max(this.time, end);
	}

	private take(): Event | undefined {
		const [first] = this.events;
		const last = this.events.pop();
		if (last && first !== last) {
			this.events[0] = last;
			this.sink(0);
		}
		return first;
	}

	private rise(place: number): void {
		const above = (place - 1) >> 1;
		if (place === 0 || !this.isBefore(place, above)) return;
		this.swap(place, above);
		this.rise(above);
	}

	private sink(place: number): void {
		const [left, right] = [2 * place + 1, 2 * place + 2];
		const first = this.isBefore(right, left) ? right : left;
		if (!this.isBefore(first, place)) return;
		this.swap(place, first);
		this.sink(first);
	}

	private isBefore(place: number, other: number): boolean {
		const [a, b] = [this.events[place], this.events[other]];
		if (!a || !b) return a !== undefined;
		return a.at < b.at || (a.at === b.at && a.order < b.order);
	}

	private swap(place: number, other: number): void {
		const [a, b] = [this.events[place], this.events[other]];
		if (a && b) [this.events[place], this.events[other]] = [b, a];
	}
}
