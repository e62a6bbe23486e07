import type { Logger } from 'n8n-workflow';

import type { PacedRun } from '../../../nodes/IdentityVerification/item';
import { Progress } from '../../../nodes/IdentityVerification/progress';
import { MAX_OPEN } from '../../../nodes/IdentityVerification/transport/pace/allowance';
import { Gate } from '../../../nodes/IdentityVerification/transport/pace/gate';
import type { RequestEnd } from '../../../nodes/IdentityVerification/transport/pace/lane';
import { JumpingClock } from './jumpingClock';

/** Whom requests are sent to. */
export interface Receiver {
	readonly requests: number;
	request(lane: string, answered: (end: RequestEnd) => void): void;
}

/** A run of a node. */
export interface Plan {
	/** Endpoint and profile of each request, as one name. */
	lanes: string[];
	/** In milliseconds since the start. */
	beginsAt?: number;
	/** Max Rate Limit Wait; without it, 5 minutes. */
	patienceMs?: number;
	/** Processes share nothing. */
	process?: number;
}

/** What became of a request. */
export type End = RequestEnd['kind'] | 'given up';

/** A request, when it was done. Times are in milliseconds since the start. */
export interface Done {
	plan: Plan;
	end: End;
	beganAt: number;
	endedAt: number;
}

/** How it went. */
export interface Result {
	done: Done[];
	requests: number;
}

/** One that waits forever would show up in a test. */
const LONGEST_MS = 24 * 3_600_000;

const USUAL_PATIENCE_MS = 5 * 60_000;

/** Sends the requests of several runs to a service, by a clock that jumps. */
export function simulate(serviceAt: (clock: JumpingClock) => Receiver, plans: Plan[]): Result {
	const clock = new JumpingClock();
	const service = serviceAt(clock);
	const gates = new Map<number, Gate>();
	const wanted = plans.reduce((sum, { lanes }) => sum + lanes.length, 0);
	const done: Done[] = [];
	for (const plan of plans) {
		const { lanes, beginsAt = 0, patienceMs, process = 0 } = plan;
		const gate = gates.get(process) ?? new Gate(clock);
		gates.set(process, gate);
		clock.after(beginsAt, () => {
			const run = new SimulatedRun(gate, clock, { patienceMs });
			const isDone = (end: End, beganAt: number) =>
				done.push({ plan, end, beganAt, endedAt: clock.now() });
			run.sendAll(lanes, MAX_OPEN, service, isDone);
		});
	}
	while (done.length < wanted && clock.now() < LONGEST_MS && clock.next());
	return { done, requests: service.requests };
}

/** A run of a node, at a gate. */
export class SimulatedRun implements PacedRun {
	readonly patienceMs: number;

	readonly since: number;

	readonly progress = new Progress({ info: () => undefined } as unknown as Logger);

	private readonly stop = new AbortController();

	readonly stopSignal = this.stop.signal;

	constructor(
		private readonly gate: Gate,
		private readonly clock: JumpingClock,
		{ patienceMs = USUAL_PATIENCE_MS }: { patienceMs?: number } = {},
	) {
		this.patienceMs = patienceMs;
		this.since = clock.now();
	}

	/** As when the execution is canceled. */
	end(): void {
		this.stop.abort();
	}

	/** Sends a request for each item, that many at a time, and calls back after each. */
	sendAll(
		lanes: string[],
		atOnce: number,
		to: Pick<Receiver, 'request'>,
		isDone: (end: End, beganAt: number) => void,
	): void {
		const rest = lanes.values();
		const work = () => {
			const { value: lane } = rest.next();
			if (lane === undefined) return;
			const beganAt = this.clock.now();
			this.send(lane, to, (end) => {
				isDone(end, beganAt);
				this.clock.after(0, work);
			});
		};
		for (let begun = 0; begun < Math.min(atOnce, lanes.length); begun++) work();
	}

	/** Sends a request until it isn't refused any more, and calls back with what became of it. */
	send(lane: string, to: Pick<Receiver, 'request'>, isDone: (end: End) => void): void {
		this.gate.enter(this, lane, (sent) => {
			if (!sent) return isDone('given up');
			to.request(lane, (end) => {
				this.gate.leave(sent, end);
				if (end.kind === 'refused') this.send(lane, to, isDone);
				else isDone(end.kind);
			});
		});
	}
}
