import { KNOWN_DATA_KEYS } from '../contract/vocabulary';

/** Prefix of a document field's name. */
const DOCUMENT_FIELD = 'fields.';

/** The fields of a document that a user can choose, as an item has them. */
export const DOCUMENT_FIELDS = KNOWN_DATA_KEYS.map((name) => ({
	name: `Document: ${titleOf(name)}`,
	value: DOCUMENT_FIELD + name,
}));

/** Those of the fields whose names were chosen, by name. */
export function chosenFields(fields: object, chosen: readonly string[]): object {
	const entries = Object.entries(fields);
	return Object.fromEntries(entries.filter(([name]) => chosen.includes(DOCUMENT_FIELD + name)));
}

/** Such as `Country Iso2` for `countryIso2`. */
function titleOf(name: string): string {
	const words = name.replace(/[A-Z]/g, ' $&').replace(/^dob\b|\bId$/, (word) => word.toUpperCase());
	return words.charAt(0).toUpperCase() + words.slice(1);
}
