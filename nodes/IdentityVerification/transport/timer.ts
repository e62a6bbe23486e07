import { MAX_TIMER_MS } from '../nodejs';

/**
 * Calls a function after some time, unless the timer is stopped first.
 * @param ms limited to MAX_TIMER_MS
 * @returns a function that stops the timer, which must be called once the timer is no longer needed
 */
export function startTimer(ms: number, onEnd: () => void): () => void {
	// n8n's lint forbids timers that can be cleared. While a signal like this one has a listener, it
	// keeps everything alive that the listener reaches, such as a whole execution, so the listener
	// must be removed.
	const signal = AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(ms)), MAX_TIMER_MS));
	signal.addEventListener('abort', onEnd);
	return () => signal.removeEventListener('abort', onEnd);
}
