import { poll } from '../../../dev/stack/poll';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { TRY } from '../support/runInEditor';
import { cellsIn } from './support/html';
import { awaitedLinkIn } from './support/mailedLink';
import { endPage } from './support/postForm';
import { useExample } from './support/useExample';

// test/docs/compareWithYourRecords says which names and dates are the same.

interface Stated {
	given?: string;
	family: string;
	born: string;
}

const ADDRESS = 'alex@example.com';
const TEAM = 'team@example.com';
const ALEX: Stated = { given: 'Alex', family: 'Specimen', born: '1990-02-14' };

const example = useExample('compare-with-your-records', {
	// Otherwise, n8n would delete what the test looks at.
	replace: { '"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"' },
});
const { lastSteps, outside, sandbox, takeSucceeded } = example;

/** Fills in the form. Returns the link, which is mailed to somebody, when its execution waits. */
async function applyFor({ given = '', family, born }: Stated, mailedTo = ADDRESS): Promise<string> {
	expect(await endPage(example.formUrl, given, family, born, ADDRESS)).toContain(
		'Check your inbox',
	);
	const options = { what: 'the mail with the link', ...DEADLINE };
	const mail = await poll(() => Promise.resolve(outside.takeMails()[0]), options);
	expect(mail.to).toMatchObject({ text: mailedTo });
	expect(mail.text).toMatch(/seven days/);
	return await awaitedLinkIn(mail, example);
}

/** Lets an applicant finish the verification. Returns the steps that it leads to. */
async function apply(stated: Stated, scenario: string) {
	await sandbox.finishLink(await applyFor(stated), scenario);
	return lastSteps(await takeSucceeded());
}

describe('an applicant', () => {
	beforeAll(async () => await example.start());
	beforeEach(async () => await example.directResults());

	it('gets the account when the document is theirs', async () => {
		const steps = await apply({ ...ALEX, family: 'Spécimen' }, 'accept');

		expect(Object.keys(steps)).toEqual(['Open the Account']);
		const [mail, ...others] = outside.takeMails();
		expect(others).toEqual([]);
		expect(mail?.to).toMatchObject({ text: TEAM });
		expect(mail?.subject).toMatch(/^Please open the account of applicant-\d+-\d+$/);
		expect(mail?.text).toMatch(/\nTransaction: (?!unknown)\w+/);
	});

	const [SAME, COMPARE] = ['the same', 'please compare'];

	it.each([
		['a good document of somebody else', 'accept', 'Sam <b>& Specimen', 'ALEX SPECIMEN', COMPARE],
		['one that is left to a person', 'lowConfidence', 'Robin Specimen', 'ROBIN SPECIMEN', SAME],
		['one that can not be read', 'emptyData', 'Alex Specimen', 'not readable', COMPARE],
	])(
		'is compared by a person, who sees both values: %s',
		async (_, scenario, name, shown, verdict) => {
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
			expect(cellsIn(mail?.html)).toEqual([[], [name, shown, verdict], ['1990-02-14', ...date]]);
		},
	);

	it('gets the link from a colleague when it cannot be e-mailed, and is declined after a reject', async () => {
		outside.refused.add(ADDRESS);
		const url = await applyFor({ given: 'Kim', family: 'Specimen', born: '1975-11-30' }, TEAM);
		await sandbox.finishLink(url, 'aml');

		expect(Object.keys(lastSteps(await takeSucceeded()))).toEqual(['Decline']);
		expect(outside.takeMails()).toEqual([]);
	});

	it('who does not finish in time is closed', async () => {
		// In place of the seven days.
		await example.start({
			'"waitUpTo": 7': '"waitUpTo": 0.2',
			'"waitUnit": "days"': '"waitUnit": "minutes"',
		});
		const url = await applyFor(ALEX);

		expect(lastSteps(await takeSucceeded())).toEqual({
			'Close the Application': [{ customData: expect.stringMatching(/^applicant-/), url }],
		});
	});
});

it('without the service, compares two invented pairs', async () => {
	const execution = await example.run(TRY);

	expect(lastSteps(execution)).toEqual({
		'Open the Account': [expect.anything()],
		'Ask a Person': [expect.anything()],
	});
	const mails = outside.takeMails();
	expect(mails.map(({ subject }) => subject)).toContain('Please open the account of invented-1');
	const [, name] = cellsIn(mails.find(({ html }) => html)?.html);
	expect(name).toEqual(expect.arrayContaining(['Zoë Maria Müller', 'ZOE MARIA MUELLER']));
});
