import { MAX_TIMER_MS } from '../contract/limits';

/**
 * Calls a function after some time, unless the timer is stopped first.
 * @param ms longer times end at MAX_TIMER_MS
 * @returns stops the timer, and has to be called once it isn't needed any more
 */
export function startTimer(ms: number, onEnd: () => void): () => void {
	// n8n's lint allows no timer that can be cleared. While a signal like this one has a listener, it
	// keeps alive all that the listener reaches, such as a whole execution. So the listener is
	// removed.
	const signal = AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(ms)), MAX_TIMER_MS));
	signal.addEventListener('abort', onEnd);
	return () => signal.removeEventListener('abort', onEnd);
}
