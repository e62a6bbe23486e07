/** How a verification in the sandbox can end. The decision follows from the warnings. */
export const SCENARIOS = [
	{
		scenario: 'accept',
		label: 'Accept: clean document',
		outcome: 'Every field is read, nothing is found.',
	},
	{
		scenario: 'lowConfidence',
		label: 'Review: text hard to read',
		outcome: 'Two fields are read with low confidence, one is missing.',
	},
	{
		scenario: 'expired',
		label: 'Reject: expired document',
		outcome: 'The document expired some weeks ago.',
	},
	{
		scenario: 'aml',
		label: 'Reject: sanctions list match',
		outcome: 'Three records of sanctions lists match the name.',
	},
	{
		scenario: 'textForgery',
		label: 'Reject: text forgery',
		outcome: 'Two fields of the document look altered.',
	},
	{
		scenario: 'emptyData',
		label: 'Review: nothing could be read',
		outcome: 'The result has no data at all.',
	},
] as const;

export type Scenario = (typeof SCENARIOS)[number]['scenario'];

/** The scenarios' names, for a schema. */
export const SCENARIO_NAMES = SCENARIOS.map(({ scenario }) => scenario) as [
	Scenario,
	...Scenario[],
];

/** `lowConfidence` -> `low-confidence`. */
export function kebabCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
