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
type Pair = [given: string, family: string, first: string, last: string, full?: string];

const SAME_PERSON: Pair[] = [
	['alex', 'specimen', 'ALEX', 'SPECIMEN', 'ALEX SPECIMEN'],
	['Anna-Lena', 'Meier', 'ANNA LENA', 'MEIER', 'MEIER ANNA LENA'],
	// In the other order, or as one text of a CRM.
	['Specimen', 'Alex', 'ALEX', 'SPECIMEN', 'ALEX SPECIMEN'],
	['', 'Alex Specimen', 'ALEX', 'SPECIMEN', 'ALEX SPECIMEN'],
	['', 'Specimen, Alex', 'ALEX', 'SPECIMEN'],
	['Alex', 'Specimen', '', '', 'SPECIMEN ALEX'],
	['Julia', 'Smith', '', 'SMITH', 'JULIA SMITH'],
	// Accents, and the spellings of machine-readable lines.
	['José', 'Núñez', 'JOSE', 'NUNEZ', 'JOSE NUNEZ'],
	['Артём', 'Фёдоров', 'АРТЕМ', 'ФЕДОРОВ'],
	['Łukasz', 'Żółć', 'LUKASZ', 'ZOLC'],
	['İbrahim', 'Yılmaz', 'IBRAHIM', 'YILMAZ'],
	['Jürgen', 'Groß', 'JUERGEN', 'GROSS'],
	['Jürgen', 'Groß', 'JURGEN', 'GROSS'],
	['Juergen', 'Mueller', 'Jürgen', 'Müller'],
	['Søren', 'Ødegård', 'SOEREN', 'OEDEGAARD'],
	['Søren', 'Ødegård', 'SØREN', 'ØDEGÅRD'],
	['Håkon', 'Sørensen', 'HAAKON', 'SORENSEN'],
	['Øystein', 'Åsen', 'OYSTEIN', 'AASEN'],
	['Jörg', 'Müller', 'JORG', 'MUELLER'],
	// Middle names.
	['John', 'Smith', 'JOHN MICHAEL', 'SMITH', 'JOHN MICHAEL SMITH'],
	['John Michael', 'Smith', 'JOHN', 'SMITH'],
	['Leo John', 'Smith', 'LEO MAXIMILIAN JOHN', 'SMITH'],
	['Hans', 'Meier', 'HANS KARL', 'MEIER'],
	['John', 'Smith', 'JOHN M', 'SMITH'],
	['John M.', 'Smith', 'JOHN', 'SMITH'],
	['Mary', 'Smith', 'MARY A', 'SMITH'],
	['Дмитрий', 'Иванов', 'ДМИТРИЙ СЕРГЕЕВИЧ', 'ИВАНОВ'],
	['Γιώργος', 'Νικολάου', 'ΓΙΩΡΓΟΣ ΝΙΚΟΛΑΟΣ', 'ΝΙΚΟΛΑΟΥ'],
	// Middle names beside names that are written together, apart, or with hyphens.
	['Jean-Pierre', 'Dupont', 'JEAN PIERRE MARIE', 'DUPONT'],
	['Jean-Pierre', 'Dupont', 'JEAN PIERRE', 'DUPONT', 'JEAN PIERRE MARIE DUPONT'],
	['Jean Pierre', 'Dupont', 'JEAN-PIERRE MARIE', 'DUPONT'],
	['Karlheinz', 'Meier', 'KARL HEINZ JOSEF', 'MEIER'],
	['Anna Maria', 'Rossi', 'ANNAMARIA LUISA', 'ROSSI'],
	['Mary-Ann Elizabeth', 'Jones', 'MARY ANN', 'JONES'],
	['Abd al-Rahman', 'Said', 'ABDALRAHMAN MOHAMMED', 'SAID'],
	['María José', 'García López', 'MARIA JOSE', 'GARCIA LOPEZ'],
	['Sean', "O'Brien", 'SEAN PATRICK', 'O BRIEN'],
	['D’Andre', 'Lewis', 'DANDRE MICHAEL', 'LEWIS'],
	// Family names of several words, of which the document may take one for a given name.
	['Ana', 'Silva Costa', 'ANA', 'SILVA COSTA', 'ANA SILVA COSTA'],
	['Mohammed bin Salman', 'Al Saud', 'MOHAMMED', 'BIN SALMAN AL SAUD'],
	// Chinese, Korean and Vietnamese names.
	['Xiaoming', 'Wang', 'XIAO MING', 'WANG', 'WANG XIAO MING'],
	['伟', '张', '伟', '张', '张伟'],
	['', '张伟', '伟', '张', '张伟'],
	['민준', '김', '민준', '김', '김민준'],
	['Min-jun', 'Kim', 'MIN JUN', 'KIM'],
	['Siu Fong', 'Chan', 'SIU FONG PETER', 'CHAN'],
	['Thị Minh Khai', 'Nguyễn', 'THI MINH KHAI', 'NGUYEN'],
	// Arabic names.
	['Mohammed', 'Al-Sayed', 'MOHAMMED AHMED', 'AL SAYED', 'MOHAMMED AHMED AL SAYED'],
	['محمد', 'السيد', '', '', 'السيد محمد'],
	// Persons with one name.
	['', 'Suharto', '', 'SUHARTO', 'SUHARTO'],
	['', 'Suharto', 'SUHARTO', ''],
];

const ANOTHER_PERSON: Pair[] = [
	// Siblings, twins among them.
	['Anna', 'Schmidt', 'EVA', 'SCHMIDT', 'EVA SCHMIDT'],
	['Anna Maria', 'Schmidt', 'ANNA LUISE', 'SCHMIDT'],
	['Maria', 'Schmidt', 'ANNA MARIA', 'SCHMIDT', 'ANNA MARIA SCHMIDT'],
	['Hans', 'Meier', 'HANS-PETER', 'MEIER'],
	['John David', 'Smith', 'JOHN MICHAEL', 'SMITH', 'JOHN SMITH'],
	['Anna Maria', 'Schmidt', 'ANNA LUISE', 'SCHMIDT', 'ANNA SCHMIDT'],
	// Father and son.
	['Carlos', 'Pérez', 'JUAN CARLOS', 'PEREZ'],
	['John', 'Smith Jr', 'JOHN', 'SMITH'],
	['Robert Jr', 'Smith', 'ROBERT', 'SMITH'],
	['Robert', 'Smith', 'ROBERT JR', 'SMITH'],
	['Robert', 'Smith', 'ROBERT', 'SMITH', 'ROBERT SMITH III'],
	['Roberto', 'Silva', 'ROBERTO FILHO', 'SILVA'],
	// One short name in common.
	['', 'Li', 'NA', 'LI', 'LI NA'],
	['Na', 'Li', '', 'LI', 'LI'],
	['Siu', 'Chan', 'SIU FONG', 'CHAN'],
	['Siu', 'Chan', 'SIU FONG PETER', 'CHAN'],
	['Peter Siu', 'Chan', 'PETER SIU FONG', 'CHAN'],
	['Tsz', 'Chan', 'TSZ YAN', 'CHAN'],
	['Min', 'Kim', 'MIN JUN', 'KIM'],
	['Min', 'Lee', 'MIN SEOB', 'LEE'],
	['Kuan', 'Lee', 'KUAN YEW', 'LEE'],
	['Thị Như', 'Nguyễn', 'THI NHU Y', 'NGUYEN'],
	['小', '王', '小明', '王', '王小明'],
	['Thị', 'Nguyễn', 'THI MINH KHAI', 'NGUYEN'],
	['Budi', 'Suharto', '', 'SUHARTO'],
	// The same letters, with another beginning of a name.
	['An', 'Lin', 'NAN', 'LI'],
	['Nan', 'Li', 'AN', 'LIN'],
	['Ang', 'Wang', 'GANG', 'WAN'],
	['Gai', 'Fan', 'AI', 'FANG'],
	['Yun A', 'Kim', 'YU NA', 'KIM'],
	['Yun-a', 'Kim', 'YU-NA', 'KIM'],
	['', 'Linan', 'NAN', 'LI'],
	['Carl A.', 'Smith', 'CARLA', 'SMITH'],
	['Carla', 'Smith', 'CARL A', 'SMITH'],
	['', 'Carl A Smith', 'CARLA', 'SMITH'],
	['', 'Lin An', 'NAN', 'LI'],
	['', 'Lin An', '', '', 'LI NAN'],
	// Names that only look alike.
	['Xiao Ming', 'Wang', 'MING XIAO', 'WANG'],
	['Jurgen', 'Muller', 'JUERGEN', 'MUELLER'],
	['राम', 'कुमार', 'रीम', 'कुमार'],
	// One of two family names.
	['María', 'García', 'MARIA', 'GARCIA LOPEZ'],
	['María', 'García López', 'MARIA', 'LOPEZ'],
	['Ana Maria', 'Silva Costa', 'ANA', 'COSTA'],
	['Jean Marie', 'Le Pen', 'JEAN', 'PEN'],
	['', 'Jean Marie Le Pen', 'JEAN', 'PEN'],
	// Nothing says that they are the same.
	['伟', '张', 'WEI', 'ZHANG'],
	['Mohamed', 'Al-Sayed', 'MOHAMMED', 'AL SAYED'],
	// The document contradicts itself, or shows no name.
	['Alex', 'Specimen', 'ALEX', 'SPECIMEN', 'EVA SPECIMEN'],
	['Eva', 'Specimen', 'ALEX', 'SPECIMEN', 'EVA SPECIMEN'],
	['Budi', 'Wijaya', '', 'SUHARTO', 'BUDI WIJAYA'],
	['Julia', 'Smith', '', 'LI', 'JULIA SMITH'],
	['Julia', 'Smith', '', 'MITH', 'JULIA SMITH'],
	['-', '-', '-', '-', '-'],
	['Alex', 'Specimen', '', '', ''],
	// Longer than any name.
	['A '.repeat(30), 'Specimen', 'A '.repeat(30), 'SPECIMEN'],
	['A'.repeat(33_000), 'Specimen', 'ALEX', 'SPECIMEN'],
	['Å'.repeat(28), 'Specimen', `${'A'.repeat(42)}C`, 'SPECIMEN'],
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
];

interface Stated {
	given?: string;
	family: string;
	born: string;
}

/** An item as **Stated and Shown** makes it, named after what is compared. */
function toCompare([given, family, firstName, lastName, fullName]: Pair, dates = [BORN, BORN]) {
	const [statedDateOfBirth, dob] = dates;
	const names = { firstName, lastName, fullName };
	const fields = Object.entries({ ...names, dob }).filter(([, value]) => value);
	const shown = fields.map(([, value]) => value).join(' / ');
	return {
		customData: `${given.trim().slice(0, 80)} ${family} (${statedDateOfBirth}): ${shown}`,
		transactionId: 'transaction-1',
		isAccepted: true,
		warnings: '',
		statedGivenNames: given,
		statedFamilyNames: family,
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

	/** Compares invented persons. Returns whose account would be opened. */
	async function compare(items: ReturnType<typeof toCompare>[]): Promise<unknown[]> {
		invented = items;
		const execution = await example.run(TRY);
		expect(execution.status).toBe('success');
		const { 'Open the Account': opened = [] } = lastSteps(execution);
		return opened
			.map((item) => Object(item).customData as unknown)
			.filter((customData) => customData !== 'invented-1');
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

			expect(steps).toEqual({
				'Open the Account': [
					{
						customData: expect.stringMatching(/^applicant-\d+$/),
						transactionId: expect.any(String),
					},
				],
			});
			expect(outside.takeMails()).toEqual([]);
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
			expect(mail?.subject).toContain('with the document');
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

	it('takes no other spelling for another person', async () => {
		const pairs = SAME_PERSON.map((pair) => toCompare(pair));

		expect(await compare(pairs)).toEqual(pairs.map(({ customData }) => customData));
		expect(outside.takeMails()).toEqual([]);
	});

	it('takes no other person for the same one, and shows each to a person', async () => {
		const pairs = [
			...ANOTHER_PERSON.map((pair) => toCompare(pair)),
			...OTHER_DATES.map((dates) => toCompare(['Alex', 'Specimen', 'ALEX', 'SPECIMEN'], dates)),
		];

		expect(await compare(pairs)).toEqual([]);
		const subjects = outside.takeMails().map(({ subject }) => subject);
		expect(subjects).toEqual(pairs.map(({ customData }) => expect.stringContaining(customData)));
	});

	it('without the service, compares two invented pairs', async () => {
		invented = [];
		const execution = await example.run(TRY);

		expect(lastSteps(execution)).toEqual({
			'Open the Account': [expect.objectContaining({ customData: 'invented-1' })],
			'Ask a Person': [expect.anything()],
		});
		const [mail] = outside.takeMails();
		const [, name] = await cellsOf(mail?.html);
		expect(name).toEqual(expect.arrayContaining(['Lea Maria Müller', 'ZOE MARIA MUELLER']));
	});
});
