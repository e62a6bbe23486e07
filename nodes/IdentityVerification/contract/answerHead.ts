import { MAX_TIMER_MS } from './limits';

/** What an HTTP answer begins with. */
export interface AnswerHead {
	statusCode: number;
	headers: Partial<Record<string, string>>;
}

/** As HTTP's dates do (rfc-editor.org/rfc/rfc9110#http.date). */
const STARTS_WITH_WEEKDAY = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * How long an answer asks to wait, in milliseconds. Its header has seconds, or a date by the
 * service's clock, which can be years away.
 */
export function retryAfterOf({ headers }: AnswerHead): number | undefined {
	const header = headers['retry-after'] ?? '';
	const answeredAt = Date.parse(headers.date ?? '') || Date.now();
	// Date.parse takes `1.5` for a day in 2001.
	const date = STARTS_WITH_WEEKDAY.test(header) ? Date.parse(header) : NaN;
	const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : date - answeredAt;
	return Number.isNaN(ms) ? undefined : Math.min(MAX_TIMER_MS, Math.max(0, ms));
}
