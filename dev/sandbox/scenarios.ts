import type { Warning } from './interface';
import { SANCTIONS } from './sanctions';

/** What a document says of the person it belongs to. */
export interface Holder {
	firstName: string;
	lastName: string;
	dob: string;
	sex: string;
	documentNumber: string;
	address1: string;
}

/** A way in which a verification in the sandbox can end. The decision follows from the warnings. */
export interface Facts {
	label: string;
	outcome: string;
	/** Invented: nobody has this document. Without one, nothing is read at all. */
	holder?: Holder;
	/** In whole years today. Replaces the date of birth, which would make the holder older each year. */
	age?: number;
	/** Missing if the document is valid. */
	expiredDaysAgo?: number;
	/** Fields that are read badly, with the confidence. */
	unsureFields?: Record<string, number>;
	/** Fields that can't be read. */
	missingFields?: string[];
	warnings: Warning[];
}

const ALEX: Holder = {
	firstName: 'ALEX',
	lastName: 'SPECIMEN',
	dob: '1990-02-14',
	sex: 'X',
	documentNumber: 'S000-1234-5678',
	address1: '100 EXAMPLE STREET',
};

const facts = {
	accept: {
		label: 'Accept: clean document',
		outcome: 'Every field is read, nothing is found.',
		holder: ALEX,
		warnings: [],
	},
	eighteen: {
		label: 'Accept: 18 years old',
		outcome: 'A clean document of a person of 18.',
		holder: { ...ALEX, firstName: 'LOU', documentNumber: 'S000-6234-5678' },
		age: 18,
		warnings: [],
	},
	seventeen: {
		label: 'Accept: 17 years old',
		outcome: 'A clean document of a person of 17.',
		holder: { ...ALEX, firstName: 'NICKY', documentNumber: 'S000-7234-5678' },
		age: 17,
		warnings: [],
	},
	noAge: {
		label: 'Accept: no age',
		outcome: 'A clean document, but the result has no age.',
		holder: { ...ALEX, firstName: 'RENE', documentNumber: 'S000-8234-5678' },
		missingFields: ['age'],
		warnings: [],
	},
	lowConfidence: {
		label: 'Review: text hard to read',
		outcome: 'Two fields are read with low confidence, one is missing.',
		holder: { ...ALEX, firstName: 'ROBIN', sex: 'M', documentNumber: 'S000-2234-5678' },
		unsureFields: { address1: 0.41, documentNumber: 0.56 },
		missingFields: ['endorsement'],
		warnings: [
			{
				code: 'LOW_TEXT_CONFIDENCE',
				description: 'The text of address1 is hard to read.',
				severity: 'medium',
				confidence: 0.59,
				decision: 'review',
			},
			{
				code: 'LOW_TEXT_CONFIDENCE',
				description: 'The text of documentNumber is hard to read.',
				severity: 'medium',
				confidence: 0.44,
				decision: 'review',
			},
			{
				code: 'MISSING_EYE_COLOR',
				description: 'The eye color is not on the document.',
				severity: 'low',
				confidence: 0.9,
				decision: 'accept',
			},
		],
	},
	expired: {
		label: 'Reject: expired document',
		outcome: 'The document expired some weeks ago.',
		holder: { ...ALEX, firstName: 'KIM', dob: '1975-11-30', documentNumber: 'S000-3234-5678' },
		expiredDaysAgo: 47,
		warnings: [
			{
				code: 'DOCUMENT_EXPIRED',
				description: 'The document has expired.',
				severity: 'high',
				confidence: 1,
				decision: 'reject',
			},
		],
	},
	aml: {
		label: 'Reject: sanctions list match',
		outcome: 'Three records of sanctions lists match the name.',
		holder: { ...ALEX, firstName: 'JORDAN', lastName: 'PLACEHOLDER', dob: '1968-07-02', sex: 'M' },
		warnings: SANCTIONS,
	},
	textForgery: {
		label: 'Reject: text forgery',
		outcome: 'Two fields of the document look altered.',
		holder: { ...ALEX, firstName: 'SAM', sex: 'F', documentNumber: 'S000-5234-5678' },
		unsureFields: { dob: 0.71, expiry: 0.68 },
		warnings: [
			{
				code: 'TEXT_FORGERY',
				description: 'The text of dob looks altered.',
				severity: 'high',
				confidence: 0.93,
				decision: 'reject',
			},
			{
				code: 'TEXT_FORGERY',
				description: 'The text of expiry looks altered.',
				severity: 'high',
				confidence: 0.88,
				decision: 'reject',
			},
		],
	},
	emptyData: {
		label: 'Review: nothing could be read',
		outcome: 'The result has no data at all.',
		missingFields: ['documentNumber', 'firstName', 'lastName', 'dob', 'expiry'],
		warnings: [
			{
				code: 'INVALID_CAMERA_PERSPECTIVE',
				description: 'The document was photographed at too steep an angle.',
				severity: 'medium',
				confidence: 0.82,
				decision: 'review',
			},
		],
	},
} satisfies Record<string, Facts>;

export type Scenario = keyof typeof facts;

export const FACTS: Record<Scenario, Facts> = facts;

/** The scenarios' names, for a schema. */
export const SCENARIO_NAMES = Object.keys(FACTS) as [Scenario, ...Scenario[]];

export const SCENARIOS = SCENARIO_NAMES.map((scenario) => {
	const { label, outcome } = FACTS[scenario];
	return { scenario, label, outcome };
});

/** `lowConfidence` -> `low-confidence`. */
export function kebabCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
