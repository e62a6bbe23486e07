import type { IDataObject } from 'n8n-workflow';

import { evaluate } from './support/evaluate';
import { exampleWorkflows } from './support/exampleWorkflows';

// Whom Compare with your records takes for the same person. What is different goes to a person.

const BORN = '1990-04-01';

/** What the applicant stated, and the names on the document. */
type Pair = [stated: string | null, first: string, last: string, full?: string];

const SAME_PERSON: Pair[] = [
	['alex specimen', 'ALEX', 'SPECIMEN', 'ALEX SPECIMEN'],
	// In any order.
	['Specimen  Alex ', 'ALEX', 'SPECIMEN', 'SPECIMEN ALEX'],
	['Xiao Ming Wang', '', '', 'WANG XIAO MING'],
	// Hyphens, as a space does, and apostrophes.
	['Anna-Lena Meier', 'ANNA LENA', 'MEIER', 'MEIER ANNA\u2010LENA'],
	["Sean O'Brien", 'SEAN', 'OBRIEN', 'SEAN O’BRIEN'],
	// Accents, and letters of which only one case has a sign of its own.
	['José Núñez', 'JOSE', 'NUNEZ', 'JOSE\u0301 NUNEZ'],
	['Jürgen Groß', 'JURGEN', 'GROSS'],
	['İbrahim Yılmaz', 'IBRAHIM', 'YILMAZ'],
	['Артём Фёдоров', 'АРТЕМ', 'ФЕДОРОВ'],
	['Γιώργος Νικολάου', 'ΓΙΩΡΓΟΣ', 'ΝΙΚΟΛΑΟΥ'],
	// Other scripts.
	['张伟', '', '', '张伟'],
	['محمد السيد', '', '', 'السيد محمد'],
	['राम कुमार', 'राम', 'कुमार'],
	// Persons with one name.
	['Suharto', '', 'SUHARTO', 'SUHARTO'],
	['Suharto', 'SUHARTO', ''],
	// As long as a name can be.
	['A'.repeat(200), '', 'A'.repeat(200)],
];

const A_PERSON_DECIDES: Pair[] = [
	['Anna Schmidt', 'EVA', 'SCHMIDT', 'EVA SCHMIDT'],
	// A name, a word or a suffix that only one of them has.
	['John Smith', 'JOHN MICHAEL', 'SMITH', 'JOHN MICHAEL SMITH'],
	['John Smith Jr', 'JOHN', 'SMITH'],
	['María García', 'MARIA', 'GARCIA LOPEZ'],
	['Maria Maria Schmidt', 'MARIA', 'SCHMIDT'],
	['Suharto', 'BUDI', 'SUHARTO'],
	// The same letters in other words.
	['Lin An', 'NAN', 'LI', 'LI NAN'],
	['An Na Li', 'ANNA', 'LI'],
	['An Nali', 'ANNA', 'LI'],
	['Xiaoming Wang', 'XIAO MING', 'WANG'],
	// What passports write for a letter, and other spellings.
	['Jürgen Müller', 'JUERGEN', 'MUELLER'],
	['Łukasz Żółć', 'LUKASZ', 'ZOLC'],
	['Mohamed Al-Sayed', 'MOHAMMED', 'AL SAYED'],
	['伟 张', 'WEI', 'ZHANG'],
	['कमार', '', 'कुमार'],
	// A Cyrillic А, and a character that nobody sees.
	['Аlex Specimen', 'ALEX', 'SPECIMEN'],
	['Alex\u200bSpecimen', 'ALEX', 'SPECIMEN'],
	['Specimen, Alex', 'ALEX', 'SPECIMEN'],
	// The document contradicts itself.
	['Alex Specimen', 'ALEX', 'SPECIMEN', 'EVA SPECIMEN'],
	['Eva Specimen', 'ALEX', 'SPECIMEN', 'EVA SPECIMEN'],
	['Julia Smith', '', 'SMITH', 'JULIA SMITH'],
	// No name, as of an applicant whom a CRM doesn't know, or no letter.
	[null, 'ALEX', 'SPECIMEN'],
	['Alex Specimen', '', ''],
	['', '', ''],
	[' ', ' ', ' ', ' '],
	['-', '-', '-', '-'],
	['4711', '', '4711', '4711'],
	// Longer than any name, and as slow to compare as possible.
	['A'.repeat(201), '', 'A'.repeat(201)],
	['A '.repeat(101), '', 'A'.repeat(101)],
	[`A${'\u0301\u0316'.repeat(15_000)}`, 'ALEX', 'SPECIMEN'],
	['Alex Specimen', '', '', `${' -'.repeat(15_000)}X`],
];

/** Dates of birth of which no two are taken for the same: stated, and shown. */
const OTHER_DATES = [
	['1990-04-01', '1990-01-04'],
	['1990-04-01', '1991-04-01'],
	['1990-04-01', ''],
	['', ''],
	['01.04.1990', '01.04.1990'],
	['1990-04-01T00:00:00', '1990-04-01T00:00:00'],
	['1990-02-30', '1990-02-30'],
	['1990-04-01\n', '1990-04-01\n'],
];

const example = exampleWorkflows.find(({ file }) => file.startsWith('compare-with-your-records/'));
const code = example?.nodes.find(({ name }) => name === 'Compare Them')?.parameters.jsCode;

/** What **Compare Them** says of somebody. */
async function compare([statedName, firstName, lastName, fullName]: Pair, dates = [BORN, BORN]) {
	const [statedDateOfBirth, dob] = dates;
	const texts = Object.entries({ firstName, lastName, fullName, dob }).filter(([, text]) => text);
	const json: IDataObject = { statedName, statedDateOfBirth, fields: Object.fromEntries(texts) };
	const result = await evaluate(`={{ (() => {\n${String(code)}\n})().json }}`, { json });
	const { nameIsTheSame, dateOfBirthIsTheSame } = result as IDataObject;
	return { nameIsTheSame, dateOfBirthIsTheSame };
}

it('takes for the same name what only order, case, accents, hyphens or apostrophes change', async () => {
	for (const pair of SAME_PERSON) {
		const same = { nameIsTheSame: true, dateOfBirthIsTheSame: true };
		expect([pair, await compare(pair)]).toEqual([pair, same]);
	}
});

it('takes no other name for the same', async () => {
	for (const pair of A_PERSON_DECIDES) {
		const { nameIsTheSame } = await compare(pair);
		expect([pair, nameIsTheSame]).toEqual([pair, false]);
	}
});

it('takes no other date of birth for the same', async () => {
	for (const dates of OTHER_DATES) {
		const result = await compare(['Alex Specimen', 'ALEX', 'SPECIMEN'], dates);
		expect([dates, result]).toEqual([dates, { nameIsTheSame: true, dateOfBirthIsTheSame: false }]);
	}
});

it('opens an account only if both are the same and the service has accepted', () => {
	const check = example?.nodes.find(({ name }) => name === 'Accepted, and the Same Person?');
	const isTrue = (leftValue: string) => ({
		leftValue: `={{ $json.${leftValue} }}`,
		operator: { type: 'boolean', operation: 'true' },
	});

	expect(check?.parameters.conditions).toMatchObject({
		combinator: 'and',
		conditions: ['isAccepted', 'nameIsTheSame', 'dateOfBirthIsTheSame'].map(isTrue),
	});
});
