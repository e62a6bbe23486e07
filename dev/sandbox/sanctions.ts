import type { SanctionRecord, Warning } from './interface';

/**
 * Records of invented lists about an invented person; between them they have every field
 * (interface.md#warnings).
 */
const RECORDS: SanctionRecord[] = [
	{
		address: ['1 Placeholder Avenue, Sampleton', 'PO Box 7, Port Example'],
		alias: ['J. PLACEHOLDER', 'Jordan Plaiceholder'],
		birthplace: ['Sampleton'],
		database: 'Example Consolidated Sanctions List',
		documentnumber: JSON.stringify([
			{ type: 'passport', number: 'X0000001', country: 'Exampleland' },
			{ type: 'national ID', number: '00-000-001', country: 'Exampleland' },
		]),
		entity: 'individual',
		fullname: ['JORDAN PLACEHOLDER'],
		nationality: ['Exampleland'],
		note: ['Listed for the tests of this sandbox. Nobody has this name.'],
		program: ['EXAMPLE-PROGRAM-7'],
		schema: 'Person',
		source: ['https://sanctions.example.com/lists/consolidated/placeholder'],
		status: ['active'],
		time: '2024-03-05T08:15:00+00:00',
	},
	{
		alias: [],
		birthplace: [],
		database: 'Example Financial Sanctions Register',
		documentnumber: null,
		entity: 'individual',
		fullname: ['PLACEHOLDER, Jordan'],
		nationality: ['Exampleland', 'Sampleland'],
		note: [],
		schema: 'Person',
		source: [
			'https://register.example.org/entries/4711',
			'https://register.example.org/notices/2023-17',
		],
		time: '2023-11-20T14:00:00+01:00',
	},
	{
		alias: ['The Placeholder'],
		birthplace: ['Port Example'],
		database: 'Example Politically Exposed Persons',
		documentnumber: 'EX-998877',
		entity: 'individual',
		fullname: ['JORDAN A. PLACEHOLDER'],
		nationality: ['Exampleland'],
		note: ['Former deputy mayor of Port Example.'],
		program: [],
		schema: 'Person',
		source: ['https://pep.example.net/people/placeholder'],
		status: ['former', 'under review'],
		time: '2025-01-31T23:59:59-05:00',
	},
];

const CONFIDENCES = [0.98, 0.91, 0.74];

/** One AML_SANCTION warning for each matched record. */
export const SANCTIONS: Warning[] = RECORDS.map((data, index) => ({
	code: 'AML_SANCTION',
	description: `The name matches a record of ${data.database}.`,
	severity: 'high',
	confidence: CONFIDENCES[index] ?? 1,
	decision: 'reject',
	data,
}));
