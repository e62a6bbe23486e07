import type { Logger } from 'n8n-workflow';

import { MAX_OPEN } from '../../../nodes/IdentityVerification/transport/pace/concurrency';
import { Gate } from '../../../nodes/IdentityVerification/transport/pace/gate';
import type { RequestEnd } from '../../../nodes/IdentityVerification/transport/pace/gate';
import { Progress } from '../../../nodes/IdentityVerification/progress';
import type { PacedRun } from '../../../nodes/IdentityVerification/item';
import { JumpingClock } from './jumpingClock';
import { SimulatedService } from './simulatedService';
import type { Answer, ServiceModel } from './simulatedService';

/** A run of a node, which scans documents or creates links. */
export interface Plan {
	/** Endpoint and profile of each request, as one name. */
	lanes: string[];
	/** In milliseconds since the start. */
	beginsAt?: number;
	/** How many items are worked on at the same time. */
	atOnce?: number;
	/** Max Rate Limit Wait; without it, 5 minutes. */
	patienceMs?: number;
}

/** What became of a request. Times are in milliseconds since the start. */
export interface Done {
	lane: string;
	/** Its item in its run. */
	index: number;
	isAccepted: boolean;
	/** How often it was refused. */
	refusals: number;
	beganAt: number;
	endedAt: number;
}

/** How it went. */
export interface Result {
	/** In the order in which they were done. */
	done: Done[];
	/** After each request that the service has received. */
	answers: Answer[];
	requests: number;
	mostOpen: number;
	ms: number;
}

/** One who waits for ever would show up in a test. */
const LONGEST_MS = 24 * 3_600_000;

const USUAL_PATIENCE_MS = 5 * 60_000;

/**
 * Sends documents of one run with one profile to a service, until all are accepted.
 * @param atOnce how many documents are worked on at the same time
 */
export function simulate(service: ServiceModel, documents: number, atOnce = MAX_OPEN): Result {
	const lanes = Array<string>(documents).fill('scan');
	return simulateRuns(service, [{ lanes, atOnce, patienceMs: Infinity }]);
}

/** Sends the requests of several runs to a service, through one gate, by a clock that jumps. */
export function simulateRuns(description: ServiceModel, plans: Plan[]): Result {
	const clock = new JumpingClock();
	const gate = new Gate(clock);
	const service = new SimulatedService(clock, description);
	const wanted = plans.reduce((sum, { lanes }) => sum + lanes.length, 0);
	const done: Done[] = [];
	for (const { lanes, beginsAt = 0, atOnce = MAX_OPEN, patienceMs } of plans) {
		clock.after(beginsAt, () => {
			const run = new SimulatedRun(gate, clock, { patienceMs });
			run.sendAll(lanes, atOnce, service, (item) => done.push(item));
		});
	}
	while (done.length < wanted && clock.now() < LONGEST_MS && clock.next());
	const { answers, requests, mostOpen } = service;
	return { done, answers, requests, mostOpen, ms: clock.now() };
}

/** Whom a request is sent to. */
export type Receiver = Pick<SimulatedService, 'request'>;

/** A run of a node, at a gate. */
export class SimulatedRun implements PacedRun {
	readonly isAutomatic: boolean;

	readonly patienceMs: number;

	readonly since: number;

	readonly progress = new Progress({ info: () => undefined } as unknown as Logger);

	private readonly stop = new AbortController();

	readonly stopSignal = this.stop.signal;

	constructor(
		private readonly gate: Gate,
		private readonly clock: JumpingClock,
		options: { isAutomatic?: boolean; patienceMs?: number } = {},
	) {
		this.isAutomatic = options.isAutomatic ?? true;
		this.patienceMs = options.patienceMs ?? USUAL_PATIENCE_MS;
		this.since = clock.now();
	}

	/** As when the execution is canceled. */
	end(): void {
		this.stop.abort();
	}

	/** Sends a request for each item, and calls back after each. */
	sendAll(lanes: string[], atOnce: number, to: Receiver, isDone: (done: Done) => void): void {
		const rest = lanes.entries();
		const work = () => {
			const { value: next } = rest.next();
			if (!next) return;
			const [index, lane] = next;
			const beganAt = this.clock.now();
			this.send(lane, to, (kind, refusals) => {
				const isAccepted = kind === 'succeeded';
				isDone({ lane, index, isAccepted, refusals, beganAt, endedAt: this.clock.now() });
				this.clock.after(0, work);
			});
		};
		for (let begun = 0; begun < Math.min(atOnce, lanes.length); begun++) work();
	}

	/** Sends a request until it isn't refused any more, and calls back with what became of it. */
	send(
		laneKey: string,
		to: Receiver,
		end: (kind: RequestEnd['kind'] | 'turned away', refusals: number) => void,
		refusals = 0,
	): void {
		this.gate.enter({ run: this, lane: laneNameOf(laneKey), refusals }, (sent) => {
			if (!sent) return end('turned away', refusals);
			to.request(laneKey, (outcome) => {
				this.gate.leave(sent, outcome);
				if (outcome.kind === 'refused') this.send(laneKey, to, end, refusals + 1);
				else end(outcome.kind, refusals);
			});
		});
	}
}

/** A lane is called after its profile, and before that, its endpoint if there are several: `links/kyc`. */
function laneNameOf(lane: string): { endpoint: string; profile: string } {
	const [profile = '', endpoint = 'scan'] = lane.split('/').reverse();
	return { endpoint, profile };
}
