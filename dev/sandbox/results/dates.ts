const DAY_MS = 24 * 60 * 60 * 1000;

/** Midnight of today, UTC. */
export function today(): Date {
	return new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS);
}

export function addDays(date: Date, days: number): Date {
	return new Date(date.getTime() + days * DAY_MS);
}

export function addYears(date: Date, years: number): Date {
	const added = new Date(date);
	added.setUTCFullYear(added.getUTCFullYear() + years);
	return added;
}

/** Whole days from one date to another; negative when `to` lies before `from`. */
export function daysBetween(from: Date, to: Date): number {
	return Math.round((to.getTime() - from.getTime()) / DAY_MS);
}

/** Whole years from birth to a date. */
export function ageOn(date: Date, birth: Date): number {
	const years = date.getUTCFullYear() - birth.getUTCFullYear();
	return addYears(birth, years) > date ? years - 1 : years;
}

/** `YYYY-MM-DD`. */
export function isoDate(date: Date): string {
	return date.toISOString().slice(0, 10);
}

/**
 * The four fields of a date: `dob`, `dobDay`, `dobMonth`, `dobYear`; parts without padding
 * (interface.md#fields).
 */
export function dateFields(name: string, date: Date): Record<string, string> {
	return {
		[name]: isoDate(date),
		[`${name}Day`]: String(date.getUTCDate()),
		[`${name}Month`]: String(date.getUTCMonth() + 1),
		[`${name}Year`]: String(date.getUTCFullYear()),
	};
}
