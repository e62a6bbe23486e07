import type { IDataObject } from 'n8n-workflow';

import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/n8n/browser';
import { awaitedLinkIn } from './support/mailedLink';
import { useExample } from './support/useExample';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { n8nNode } from '../../kit/n8n/workflow';
import type { WorkflowNode } from '../../kit/n8n/workflow';
import { TRY } from '../support/runInEditor';

const INVENTED = 'An Invented Mismatch';
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

interface Stated {
	given?: string;
	family: string;
	born: string;
}

/** An item as **Stated and Shown** makes it, with a number to know it by. */
function toCompare([statedName, firstName, lastName, fullName]: Pair, dates = [BORN, BORN]) {
	const [statedDateOfBirth, dob] = dates;
	const fields = Object.entries({ firstName, lastName, fullName, dob }).filter(([, text]) => text);
	return {
		transactionId: 'transaction-1',
		isAccepted: true,
		warnings: '',
		statedName,
		statedDateOfBirth,
		fields: Object.fromEntries(fields),
	};
}

describe('Compare with your records', () => {
	let invented: IDataObject[] = [];
	const replaced = ({ name }: WorkflowNode) => invented.length > 0 && name === INVENTED;
	const example = useExample('compare-with-your-records', {
		// Otherwise, n8n would delete what the test looks at.
		replace: { '"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"' },
		nodes: (nodes) =>
			nodes.map((node) =>
				replaced(node)
					? n8nNode(INVENTED, 'code', 2, { jsCode: `return ${JSON.stringify(invented)}` })
					: node,
			),
	});
	const { lastSteps, outside, sandbox, takeSucceeded } = example;
	const browser = useBrowser();

	/** Compares invented persons. Returns those whose account would be opened, and the others. */
	async function compare(items: ReturnType<typeof toCompare>[]) {
		invented = items.map((item, index) => ({ ...item, customData: `person-${index}` }));
		const execution = await example.run(TRY);
		expect(execution.status).toBe('success');
		const mailed = outside.takeMails().map(({ subject }) => subject);
		// The other invented person has one, too.
		const subjects = mailed.filter((subject) => subject?.includes(' person-'));
		const isOpened = (index: number) =>
			subjects.includes(`Please open the account of person-${index}`);
		return {
			subjects,
			opened: items.filter((_, index) => isOpened(index)),
			others: items.filter((_, index) => !isOpened(index)),
		};
	}

	/** Fills in the form. Returns the link, which is mailed to somebody, when its execution waits. */
	async function applyFor(
		{ given = '', family, born }: Stated,
		address = 'alex@example.com',
	): Promise<string> {
		const { page } = browser;
		await page.goto(example.formUrl);
		await page.getByLabel('Given Names').fill(given);
		await page.getByLabel('Family Names').fill(family);
		await page.getByLabel('Date of Birth').fill(born);
		await page.getByLabel('E-mail').fill('alex@example.com');
		await page.getByRole('button', { name: 'Send me the link' }).click();
		await page.getByText('Check your inbox').waitFor();
		const options = { what: 'the mail with the link', ...DEADLINE };
		const mail = await poll(() => Promise.resolve(outside.takeMails()[0]), options);
		expect(mail.to).toMatchObject({ text: address });
		expect(mail.text).toMatch(/seven days/);
		return await awaitedLinkIn(mail, example);
	}

	/** Lets an applicant finish the verification. Returns the steps that it leads to. */
	async function apply(stated: Stated, scenario: string) {
		await sandbox.finishLink(await applyFor(stated), scenario);
		return lastSteps(await takeSucceeded());
	}

	/** The texts of the cells of a mail's table, by rows. */
	async function cellsOf(html: unknown): Promise<string[][]> {
		await browser.page.setContent(String(html));
		const rows = await browser.page.getByRole('row').all();
		return await Promise.all(rows.map(async (row) => await row.getByRole('cell').allInnerTexts()));
	}

	describe('of an applicant', () => {
		beforeAll(async () => {
			invented = [];
			await example.start();
		});
		beforeEach(async () => await example.directResults());

		it('opens the account when the document is theirs', async () => {
			const steps = await apply(
				{ given: 'Alex', family: 'Spécimen', born: '1990-02-14' },
				'accept',
			);

			expect(Object.keys(steps)).toEqual(['Open the Account']);
			const [mail, ...others] = outside.takeMails();
			expect(others).toEqual([]);
			expect(mail?.to).toMatchObject({ text: 'team@example.com' });
			expect(mail?.subject).toMatch(/^Please open the account of applicant-\d+-\d+$/);
			expect(mail?.text).toMatch(/\nTransaction: (?!unknown)\w+/);
		});

		const [SAME, COMPARE] = ['the same', 'please compare'];

		it.each([
			['a good document of somebody else', 'accept', 'Sam <b>& Specimen', 'ALEX SPECIMEN', COMPARE],
			['one that is left to a person', 'lowConfidence', 'Robin Specimen', 'ROBIN SPECIMEN', SAME],
			['one that can not be read', 'emptyData', 'Alex Specimen', 'not readable', COMPARE],
		])('shows a person both values: %s', async (_, scenario, name, shown, verdict) => {
			const [, given, family = ''] = /(.*) (\S+)$/.exec(name) ?? [];
			const steps = await apply({ given, family, born: '1990-02-14' }, scenario);

			expect(Object.keys(steps)).toEqual(['Ask a Person']);
			const [mail, ...others] = outside.takeMails();
			expect(others).toEqual([]);
			expect(mail?.subject).toMatch(/^Please compare an applicant with the document: /);
			expect(mail?.text).toContain(
				scenario === 'accept' ? 'The service accepted the document' : 'could not decide',
			);
			const date = shown === 'not readable' ? [shown, COMPARE] : ['1990-02-14', SAME];
			expect(await cellsOf(mail?.html)).toEqual([
				expect.anything(),
				[name, shown, verdict],
				['1990-02-14', ...date],
			]);
		});

		it('lets a colleague send the link when it cannot be e-mailed, and waits for its result', async () => {
			outside.refused.add('alex@example.com');
			const url = await applyFor(
				{ given: 'Alex', family: 'Specimen', born: '1990-02-14' },
				'team@example.com',
			);
			await sandbox.finishLink(url, 'accept');

			expect(Object.keys(lastSteps(await takeSucceeded()))).toEqual(['Open the Account']);
		});

		it('declines who is rejected, and compares nothing', async () => {
			const steps = await apply({ given: 'Kim', family: 'Specimen', born: '1975-11-30' }, 'aml');

			expect(Object.keys(steps)).toEqual(['Decline']);
			expect(outside.takeMails()).toEqual([]);
		});
	});

	it('closes the application when nobody finishes in time', async () => {
		invented = [];
		// In place of the seven days.
		await example.start({
			'"waitUpTo": 7': '"waitUpTo": 0.2',
			'"waitUnit": "days"': '"waitUnit": "minutes"',
		});
		const url = await applyFor({ given: 'Alex', family: 'Specimen', born: '1990-02-14' });

		expect(lastSteps(await takeSucceeded())).toEqual({
			'Close the Application': [{ customData: expect.stringMatching(/^applicant-/), url }],
		});
	});

	it('asks nobody about a name that only order, case, accents, hyphens or apostrophes change', async () => {
		const { others, subjects } = await compare(SAME_PERSON.map((pair) => toCompare(pair)));

		expect(others).toEqual([]);
		expect(subjects).toHaveLength(SAME_PERSON.length);
	});

	it('asks a person about any other name or date, each by itself', async () => {
		const items = [
			...A_PERSON_DECIDES.map((pair) => toCompare(pair)),
			...OTHER_DATES.map((dates) => toCompare(['Alex Specimen', 'ALEX', 'SPECIMEN'], dates)),
		];
		const { opened, subjects } = await compare(items);

		expect(opened).toEqual([]);
		expect(subjects).toEqual(items.map((_, index) => expect.stringMatching(` person-${index}$`)));
	});

	it('without the service, compares two invented pairs', async () => {
		invented = [];
		const execution = await example.run(TRY);

		expect(lastSteps(execution)).toEqual({
			'Open the Account': [expect.anything()],
			'Ask a Person': [expect.anything()],
		});
		const mails = outside.takeMails();
		const mail = mails.find(({ html }) => html);
		expect(mails.map(({ subject }) => subject)).toContain('Please open the account of invented-1');
		const [, name] = await cellsOf(mail?.html);
		expect(name).toEqual(expect.arrayContaining(['Zoë Maria Müller', 'ZOE MARIA MUELLER']));
	});
});
