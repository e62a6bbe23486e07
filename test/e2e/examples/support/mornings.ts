// What the examples have in common that write e-mails every morning.

export const MORNING = 'Every Morning';

/** A request of such an example to the CRM that can be answered otherwise, and an answer. */
export const LOOK_UP = 'GET /crm/api/applicants?id=unknown';
export const NOT_FOUND = { status: 404, body: {} };

/** So many days before now, or after it if the number is negative. */
export function daysAgo(days: number): string {
	return new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
}
