/**
 * Until Jest restores its mocks, the time that passes for a node in this process can be skipped.
 * Returns the function that skips it. All timers of the node then ring at once, and each of them
 * looks at the clock to see whether it has rung too early.
 */
export function skippableTime(): (ms: number) => void {
	const now = performance.now.bind(performance);
	const timers = new Set<AbortController>();
	let skippedMs = 0;
	jest.spyOn(performance, 'now').mockImplementation(() => now() + skippedMs);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		const timer = new AbortController();
		timers.add(timer);
		setTimeout(() => timer.abort(), ms).unref();
		return timer.signal;
	});
	return (ms) => {
		skippedMs += ms;
		const ringing = [...timers];
		timers.clear();
		ringing.forEach((timer) => timer.abort());
	};
}
