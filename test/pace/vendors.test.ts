import { MAX_OPEN } from '../../nodes/IdentityVerification/transport/pace/concurrency';
import { Gate } from '../../nodes/IdentityVerification/transport/pace/gate';
import { JumpingClock } from './support/jumpingClock';
import { SimulatedRun } from './support/simulation';
import { VENDORS, WindowedService } from './support/vendors';

// A batch at the published limits of real vendors, by a simulated clock.

/** One that waits for ever would show up. */
const LONGEST_MS = 24 * 3_600_000;

const cases = VENDORS.flatMap(({ figures, ...vendor }) =>
	figures.map((each) => ({ ...each, vendor, name: vendor.name })),
);

it.each(cases)('$name, $latencyMs ms', ({ vendor, latencyMs, time, requests }) => {
	const { most, windowMs } = vendor;
	// Several windows full, but not hours.
	const documents = Math.max(60, Math.min(6 * most, 3_000));
	const clock = new JumpingClock();
	const gate = new Gate(clock);
	const service = new WindowedService(clock, vendor, latencyMs);
	const lanes = Array<string>(documents).fill('scan');
	let done = 0;
	// In the middle of a window.
	clock.after(1_234, () => {
		const run = new SimulatedRun(gate, clock, { patienceMs: Infinity });
		run.sendAll(lanes, MAX_OPEN, service, () => done++);
	});
	while (done < documents && clock.now() < LONGEST_MS && clock.next());

	const best = Math.max(
		(Math.ceil(documents / most) - 1) * windowMs,
		(documents / MAX_OPEN) * latencyMs,
	);
	expect(clock.now()).toBeLessThan(1.25 * time * best);
	expect(service.requests).toBeLessThan(1.25 * requests * documents);
});
