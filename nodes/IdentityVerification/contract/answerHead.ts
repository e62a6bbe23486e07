import { MAX_TIMER_MS } from '../nodejs';

/** What an HTTP answer begins with. */
export interface AnswerHead {
	statusCode: number;
	headers: Partial<Record<string, string>>;
}

/** Whether an answer has a status of success. */
export function isSuccess({ statusCode }: AnswerHead): boolean {
	return statusCode >= 200 && statusCode < 300;
}

/**
 * A date such as `Thu, 26 Nov 2026 08:49:37 GMT`. HTTP has two older forms that nothing sends any
 * more (rfc-editor.org/rfc/rfc9110#http.date).
 */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * How long an answer asks to wait, in milliseconds. Its header has seconds, which are rounded up, or
 * a date by the service's clock, which can be years away. Undefined if it has neither.
 */
export function retryAfterOf({ headers }: AnswerHead): number | undefined {
	const header = headers['retry-after'] ?? '';
	const answeredAt = Date.parse(headers.date ?? '') || Date.now();
	// Date.parse takes `-1.5` and `Mon 5` for days in 2001.
	const date = HTTP_DATE.test(header) ? Date.parse(header) : NaN;
	const isNumber = header !== '' && Number(header) >= 0;
	const ms = isNumber ? Math.ceil(Number(header)) * 1_000 : date - answeredAt;
	return Number.isNaN(ms) ? undefined : Math.min(MAX_TIMER_MS, Math.max(0, ms));
}
