import type { Scenario } from '../scenarios';
import { addDays, addYears, ageOn, dateFields, daysBetween } from './dates';

interface Holder {
	firstName: string;
	lastName: string;
	dob: string;
	sex: string;
	documentNumber: string;
	address1: string;
}

const ALEX: Holder = {
	firstName: 'ALEX',
	lastName: 'SPECIMEN',
	dob: '1990-02-14',
	sex: 'X',
	documentNumber: 'S000-1234-5678',
	address1: '100 EXAMPLE STREET',
};

/** Invented people: nobody has these documents. */
const HOLDERS: Record<Scenario, Holder> = {
	accept: ALEX,
	lowConfidence: { ...ALEX, firstName: 'ROBIN', sex: 'M', documentNumber: 'S000-2234-5678' },
	expired: { ...ALEX, firstName: 'KIM', dob: '1975-11-30', documentNumber: 'S000-3234-5678' },
	aml: { ...ALEX, firstName: 'JORDAN', lastName: 'PLACEHOLDER', dob: '1968-07-02', sex: 'M' },
	textForgery: { ...ALEX, firstName: 'SAM', sex: 'F', documentNumber: 'S000-5234-5678' },
	emptyData: ALEX,
};

const VALID_YEARS = 8;
const ISSUED_DAYS_AGO = 500;
const EXPIRED_DAYS_AGO = 47;

/** Issue and expiry of the scenario's document, seen from today. */
function validity(scenario: Scenario, today: Date): { issued: Date; expiry: Date } {
	if (scenario === 'expired') {
		const expiry = addDays(today, -EXPIRED_DAYS_AGO);
		return { issued: addYears(expiry, -VALID_YEARS), expiry };
	}
	const issued = addDays(today, -ISSUED_DAYS_AGO);
	return { issued, expiry: addYears(issued, VALID_YEARS) };
}

/** Text of every field that the scenario's document carries (interface.md#fields), dates seen from today. */
export function documentFields(scenario: Scenario, today: Date): Record<string, string> {
	const { dob, ...holder } = HOLDERS[scenario];
	const birth = new Date(dob);
	const { issued, expiry } = validity(scenario, today);
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

function country(name: string): Record<string, string> {
	return {
		[`${name}Full`]: 'United States',
		[`${name}Iso2`]: 'US',
		[`${name}Iso3`]: 'USA',
	};
}
