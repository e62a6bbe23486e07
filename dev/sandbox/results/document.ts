import type { Facts, Holder } from '../scenarios';
import { addDays, addYears, ageOn, dateFields, daysBetween } from './dates';

const VALID_YEARS = 8;
const ISSUED_DAYS_AGO = 500;
const DAYS_SINCE_BIRTHDAY = 100;

/** Issue and expiry of a document, seen from today. */
function validity({ expiredDaysAgo }: Facts, today: Date): { issued: Date; expiry: Date } {
	if (expiredDaysAgo === undefined) {
		const issued = addDays(today, -ISSUED_DAYS_AGO);
		return { issued, expiry: addYears(issued, VALID_YEARS) };
	}
	const expiry = addDays(today, -expiredDaysAgo);
	return { issued: addYears(expiry, -VALID_YEARS), expiry };
}

/**
 * Text of every field that the holder's document carries (interface.md#fields), dates seen from
 * today.
 */
export function documentFields(
	{ dob, ...holder }: Holder,
	facts: Facts,
	today: Date,
): Record<string, string> {
	const birth = facts.age === undefined ? new Date(dob) : bornAgo(facts.age, today);
	const { issued, expiry } = validity(facts, today);
	return {
		...holder,
		fullName: `${holder.firstName} ${holder.lastName}`,
		address2: 'SAMPLETON, CA 90000',
		postcode: '90000',
		stateFull: 'California',
		stateShort: 'CA',
		...country('country'),
		...country('nationality'),
		...dateFields('dob', birth),
		...dateFields('issued', issued),
		...dateFields('expiry', expiry),
		age: String(ageOn(today, birth)),
		daysFromIssue: String(daysBetween(issued, today)),
		daysToExpiry: String(daysBetween(today, expiry)),
		documentSide: 'FRONT',
		documentType: 'D',
		endorsement: 'NONE',
		restrictions: 'NONE',
		vehicleClass: 'C',
		hairColor: 'BRO',
		height: '175 cm',
		weight: '70 kg',
		internalId: '10427',
	};
}

/** Date of birth of somebody of this age, whose last birthday was some time ago. */
function bornAgo(age: number, today: Date): Date {
	return addDays(addYears(today, -age), -DAYS_SINCE_BIRTHDAY);
}

function country(name: string): Record<string, string> {
	return {
		[`${name}Full`]: 'United States',
		[`${name}Iso2`]: 'US',
		[`${name}Iso3`]: 'USA',
	};
}
