import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { HOSTILE_TEXT, MARKER } from '../../kit/data/hostileText';
import { useBrowser } from '../../kit/n8n/browser';
import { runs } from '../../kit/runs';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { Colleague } from './support/colleague';
import { DataTable } from './support/dataTable';
import type { WholeRow } from './support/dataTable';
import { daysAgo } from './support/mornings';
import { postFields } from './support/postForm';
import { TRY } from '../support/runInEditor';
import { useExample } from './support/useExample';
import { waitBefore } from './support/waitBefore';

const EXAMPLE = 'review-desk';
const TEAM = 'team@example.com';
const LEAD = 'lead@example.com';
const ARCHIVE = 'archive@example.com';

const COUNTS = 'Your decision counts';
const DOES_NOT_COUNT = "Your decision doesn't count";
const UNCHANGED = 'Nothing has changed';
const FASTER = 'Somebody was faster';
const NOT_YOU = "You can't decide here";

const example = useExample(EXAMPLE);
const { api, outside } = example;
const browser = useBrowser();
const cases = new DataTable(api, EXAMPLE, { tableName: 'Review desk: cases' });
const people = new DataTable(api, EXAMPLE, { tableName: 'Review desk: people' });

let bea: Colleague;
let cyd: Colleague;
let lea: Colleague;
/** Has an account in n8n, and isn't in the table of people. */
let max: Colleague;

async function join(firstName: string, role?: string): Promise<Colleague> {
	const colleague = await Colleague.join(api, browser, () => example.formUrl, firstName);
	if (role) await people.add({ userId: colleague.id, name: firstName, role });
	return colleague;
}

beforeAll(async () => {
	for (const table of [cases, people]) await table.create();
	await example.start();
	bea = await join('Bea', 'reviewer');
	cyd = await join('Cyd', 'reviewer');
	lea = await join('Lea', 'lead');
	max = await join('Max');
});

beforeEach(async () => await cases.create());

afterAll(async () => {
	for (const { id } of [bea, cyd, lea, max]) await api.delete(`/users/${id}`);
	for (const table of [cases, people]) await table.remove();
});

/** The next mail to somebody. */
async function mailTo(address: string) {
	const isThere = () =>
		Promise.resolve(
			outside.takeMails().find(({ to }) => to && 'text' in to && to.text === address),
		);
	return await poll(isThere, { what: `a mail to ${address}`, ...DEADLINE });
}

/** Opens a case about a result. Returns its number, which the mail to the team has. */
async function caseOf(result: object): Promise<string> {
	await example.sendResult({ ...result });
	const { subject = '', text = '' } = await mailTo(TEAM);
	const [, number = ''] = /^Case (\d+) needs a decision$/.exec(subject) ?? [];
	expect(text).toContain(`?Case=${number}\n`);
	return number;
}

const changes = () => ({ customData: `C-${randomUUID()}`, transactionId: `T-${randomUUID()}` });

/** On which one person decides. */
const oneDecides = async (more: IDataObject = {}) =>
	await caseOf(fixture('webhook-review', { ...changes(), ...more }));

/** On which two people have to agree. */
const twoDecide = async (more: IDataObject = {}) =>
	await caseOf(fixture('webhook-review', { decision: 'reject', ...changes(), ...more }));

/** The row of a case. */
async function rowOf(number: string): Promise<WholeRow> {
	const row = (await cases.wholeRows()).find(({ id }) => String(id) === number);
	if (!row) throw new Error(`There is no case ${number}.`);
	return row;
}

/** The texts of the archive's mails since the last look. */
const archived = () =>
	outside
		.takeMails()
		.filter(({ to }) => to && 'text' in to && to.text === ARCHIVE)
		.map(({ subject, text = '' }) => `${subject}\n${text}`);

/** What n8n's form says to whom it has just been sent. */
function titleOf(html: string): string {
	const [, title = ''] = /<h1>\s*([^<]*?)\s*<\/h1>/.exec(html) ?? [];
	return title.replaceAll('&#x27;', "'");
}

/** The newest execution, when it has ended. */
async function newestExecution() {
	const hasEnded = async () => {
		const [newest] = await example.workflow.list();
		return newest && ['success', 'error'].includes(newest.status) ? newest.id : undefined;
	};
	return await api.getExecution(
		await poll(hasEnded, { what: 'the newest execution to end', ...DEADLINE }),
	);
}

/** A case as it could be in the table. */
function someCase(row: WholeRow): WholeRow {
	const usual = { ...changes(), service: 'review', reasons: '', rule: 'Version 1', needed: 1 };
	return { ...usual, state: 'open', due: daysAgo(-2), expires: daysAgo(-30), ...row };
}

/** Adds one. Returns its number. */
async function addCase(row: WholeRow): Promise<string> {
	await cases.add(someCase(row));
	return String((await cases.wholeRows()).at(-1)?.id);
}

describe('a case', () => {
	it('is decided by one person if the service could not decide', async () => {
		const customData = `C-${randomUUID()}`;
		const number = await oneDecides({ customData });
		const shown = await bea.show(`?Case=${number}`, `Case ${number}`);
		const reasons = 'LOW_TEXT_CONFIDENCE (led to review), IP_COUNTRY_MISMATCH (led to review)';
		expect(shown).toContain(`Warnings: ${reasons}, INVALID_CAMERA_PERSPECTIVE (also found)`);
		expect(shown).toContain(`Customer: ${customData}`);
		expect(shown).toContain('You decide alone.');
		expect(await bea.decide('Accept', 'The photo is sharp.', COUNTS)).toContain('is opened');

		const row = await rowOf(number);
		expect(row).toMatchObject({ state: 'accept', people: bea.id, customData });
		expect(row.carriedOutAt).not.toBeNull();
		const [mail = '', ...more] = archived();
		expect(more).toEqual([]);
		const facts = [bea.id, bea.email, 'Bea Colleague', customData, String(row.transactionId)];
		for (const fact of [
			...facts,
			'from open to accept',
			'Rule: Version 1',
			'The photo is sharp.',
		]) {
			expect(mail).toContain(fact);
		}
		const steps = Object.keys((await newestExecution()).data);
		expect(steps).toContain('Open the Account');
		expect(steps).not.toContain('Decline the Applicant');
	});

	it('needs a second person if its row does not say how many', async () => {
		const number = await twoDecide();
		const { customData } = await rowOf(number);
		await cases.change('customData', String(customData), { needed: null });
		const shown = await bea.show(`?Case=${number}`, `Case ${number}`);
		expect(shown).toContain('Two people have to agree.');
		expect(await bea.decide('Accept', 'The photo is sharp.', COUNTS)).toContain('A second person');
		expect(await rowOf(number)).toMatchObject({ state: 'second' });
	});

	it('needs a second person if the service has rejected, and never the same one', async () => {
		const number = await twoDecide();
		await bea.show(`?Case=${number}`, `Case ${number}`);
		const page = await bea.decide('Reject', 'The document is copied.', COUNTS);
		expect(page).toContain('A second person has to decide, too.');
		expect((await mailTo(TEAM)).subject).toBe(`Case ${number} needs a second person`);
		expect(await rowOf(number)).toMatchObject({ state: 'second', closedAt: null });
		expect(await bea.show(`?Case=${number}`, UNCHANGED)).toContain('You have already decided');

		const shown = await cyd.show(`?Case=${number}`, `Case ${number}`);
		expect(shown).toContain(`reject: account ${bea.id}`);
		expect(shown).toContain('Reason: The document is copied.');
		expect(await cyd.decide('Reject', 'I agree.', COUNTS)).toContain('is declined');

		expect(await rowOf(number)).toMatchObject({
			state: 'reject',
			people: `${bea.id}, ${cyd.id}`,
			history: expect.stringMatching(/^.+copied\.\n.+I agree\.$/),
		});
		const steps = Object.keys((await newestExecution()).data);
		expect(steps).toContain('Decline the Applicant');
		expect(steps).not.toContain('Open the Account');
	});

	it.each([
		['a warning of high severity', { warning: [{ code: 'X', severity: 'high' }] }],
		['a part that could not be read', { warning: 'all fine' }],
	])('needs two people because of %s', async (_, more) => {
		expect(await rowOf(await oneDecides(more))).toMatchObject({ needed: 2 });
	});

	it('on which two people disagree is decided by a lead who has not decided yet', async () => {
		const number = await twoDecide();
		await bea.send(await bea.open(number), 'Reject', 'A copy.');
		await cyd.send(await cyd.open(number), 'Accept', 'An original.');
		expect((await mailTo(LEAD)).subject).toBe(`Case ${number}: two people disagree`);
		expect(await rowOf(number)).toMatchObject({ state: 'lead', closedAt: null });

		await people.change('userId', lea.id, { role: 'reviewer' });
		expect(await lea.show(`?Case=${number}`, UNCHANGED)).toContain('only a lead can decide');
		await people.change('userId', lea.id, { role: 'lead' });
		await people.change('userId', cyd.id, { role: 'lead' });
		expect(await cyd.show(`?Case=${number}`, UNCHANGED)).toContain('You have already decided');
		await people.change('userId', cyd.id, { role: 'reviewer' });
		await lea.show(`?Case=${number}`, `Case ${number}`);
		await lea.decide('Accept', 'I have seen the original.', COUNTS);

		expect(await rowOf(number)).toMatchObject({
			state: 'accept',
			people: [bea.id, cyd.id, lea.id].join(', '),
		});
	});

	it('counts a person once, in two tabs', async () => {
		const number = await addCase({ needed: 2 });
		const other = await bea.page.context().newPage();
		for (const page of [bea.page, other]) {
			await bea.show(`?Case=${number}`, `Case ${number}`, page);
		}
		await bea.decide('Accept', 'Fine.', COUNTS);
		expect(await bea.decide('Accept', 'Fine.', UNCHANGED, other)).toContain('already decided');
		await other.close();

		expect(await rowOf(number)).toMatchObject({ state: 'second', people: bea.id });
	});

	it('counts a person once, in races of two requests', async () => {
		for (let race = 0; race < runs(3, 30); race++) {
			const number = await addCase({ needed: 2 });
			const urls = [await bea.open(number), await bea.open(number)];
			const pages = urls.map(async (url) => await bea.send(url, 'Accept', 'Fine.'));
			const titles = (await Promise.all(pages)).map(titleOf);

			expect(titles.filter((title) => title === COUNTS)).toHaveLength(1);
			expect(titles.filter((title) => [FASTER, UNCHANGED].includes(title))).toHaveLength(1);
			expect(await rowOf(number)).toMatchObject({
				state: 'second',
				people: bea.id,
				history: expect.stringMatching(/^.+$/),
			});
		}
	}, 300_000);
});

describe('of two people who decide at the same moment', () => {
	beforeAll(async () => await example.start(waitBefore('Write It Down', 15)));
	afterAll(async () => await example.start());

	it('one counts, and the page and the archive say so of the other', async () => {
		const number = await addCase({});
		const [one, other] = [await bea.open(number), await cyd.open(number)];
		const pages = await Promise.all([
			bea.send(one, 'Accept', 'Fine.'),
			cyd.send(other, 'Reject', 'Bad.'),
		]);

		expect(pages.map(titleOf).sort()).toEqual([FASTER, COUNTS]);
		const isBea = titleOf(pages[0]) === COUNTS;
		expect(await rowOf(number)).toMatchObject({
			state: isBea ? 'accept' : 'reject',
			people: isBea ? bea.id : cyd.id,
		});
		const mails: string[] = [];
		const haveArrived = async () => {
			mails.push(...archived());
			return await Promise.resolve(mails.length === 3 || undefined);
		};
		await poll(haveArrived, { what: 'three mails', ...DEADLINE });
		const loser = isBea ? cyd : bea;
		expect(mails.at(-1)).toMatch(`Case ${number}: a decision doesn't count\n`);
		expect(mails.at(-1)).toMatch(`decision of account ${loser.id} on case ${number}`);
	});
});

describe('nothing changes', () => {
	/** A case, that has to stay as it was. */
	let number: string;
	let before: WholeRow;
	beforeEach(async () => {
		number = await addCase({ needed: 2 });
		before = await rowOf(number);
	});
	afterEach(async () => {
		expect(await rowOf(number)).toEqual(before);
		expect(archived()).toEqual([]);
	});

	it('without signing in', async () => {
		const url = await bea.open(number);
		const first = await fetchN8n(example.formUrl, { redirect: 'manual' });
		expect(first.headers.get('location')).toContain('/oauth/authorize');
		expect((await postFields(example.formUrl, [number, ''])).status).toBe(401);
		expect((await postFields(url, ['Accept', 'Fine.'])).status).toBe(401);
		const second = await fetchN8n(url, { redirect: 'manual' });
		expect(second.headers.get('location')).toContain('/signin');
	});

	it('when it is no colleague of the table, whom the page tells their ID', async () => {
		for (const query of ['', `?Case=${number}`, `?Customer=${before.customData}`]) {
			const page = await max.show(query, NOT_YOU);
			expect(page).toContain(max.id);
			expect(page).not.toContain(before.customData);
		}
		const url = await bea.open(number);
		expect(titleOf(await max.send(url, 'Accept', 'Fine.'))).toBe(NOT_YOU);
	});

	it("on the page of somebody else's case", async () => {
		const page = await cyd.send(await bea.open(number), 'Accept', 'Fine.');
		expect(titleOf(page)).toBe(UNCHANGED);
		expect(page).toContain('Another account has opened this page');
	});

	it('when the person was removed from the table meanwhile', async () => {
		const url = await lea.open(number);
		await people.change('userId', lea.id, { userId: 'nobody else' });
		const page = await lea.send(url, 'Accept', 'Fine.');
		await people.change('userId', 'nobody else', { userId: lea.id });
		expect(titleOf(page)).toBe(NOT_YOU);
	});

	it.each([
		['without a decision', ['', 'Fine.'], 'Choose Accept or Reject'],
		['with another decision', ['Perhaps', 'Fine.'], 'Choose Accept or Reject'],
		['without a reason', ['Accept'], 'A decision needs a reason'],
		['with a blank reason', ['Accept', ' \u00a0\u2800\u200b\n.'], 'A decision needs a reason'],
		[
			'with a reason that begins where it is cut off',
			['Accept', `${'-'.repeat(300)}Fine.`],
			'A decision needs a reason',
		],
		['with a file as the reason', ['Accept', [new File(['x'], 'x')]], 'A decision needs a reason'],
		['with nothing', [], 'Choose Accept or Reject'],
	])('by a request %s', async (_, fields, refusal) => {
		const page = await bea.send(await bea.open(number), ...fields);
		expect(titleOf(page)).toBe(UNCHANGED);
		expect(page).toContain(refusal);
	});

	it.each(['999', '0', '-1', '1e3', 'one', '99999999999999999999', '1 OR 1=1'])(
		'at the case %s, which does not exist',
		async (other) => {
			const query = `?Case=${encodeURIComponent(other)}`;
			expect(await bea.show(query, UNCHANGED)).toContain('There is no case');
		},
	);

	it('while the archive cannot be reached', async () => {
		outside.refused.add(ARCHIVE);
		await bea.show(`?Case=${number}`, `Case ${number}`);
		const page = await bea.decide('Accept', 'Fine.', DOES_NOT_COUNT);
		expect(page).toContain('nothing has changed');
	});

	it('in a test of the workflow in the editor', async () => {
		const path = `/workflows/${api.idOf(example.workflow.file.id)}/run`;
		const run = { triggerToStartFrom: { name: 'Review Desk' } };
		await api.post(path, run, z.unknown());
		const { page } = bea;
		await page.goto(`${example.formUrl.replace('/form/', '/form-test/')}?Case=${number}`);
		await page.getByRole('button', { name: 'Allow access' }).click();
		await page.getByRole('button', { name: 'Show' }).click();
		await page.getByRole('heading', { name: NOT_YOU }).waitFor();
		expect(await page.locator('body').innerText()).toContain('This is a test of the workflow');
	});
});

describe('a decision comes too late', () => {
	it('when the case is decided, before and after its page', async () => {
		const number = await addCase({});
		const url = await cyd.open(number);
		await bea.send(await bea.open(number), 'Accept', 'Fine.');
		const row = await rowOf(number);

		const page = await cyd.send(url, 'Reject', 'Bad.');
		expect(titleOf(page)).toBe(UNCHANGED);
		expect(page).toContain('decided already: accept');
		expect(await cyd.show(`?Case=${number}`, UNCHANGED)).toContain('decided already: accept');
		expect(await rowOf(number)).toEqual(row);
	});

	it('when the first of two has decided while the page was open', async () => {
		const number = await addCase({ needed: 2 });
		const url = await cyd.open(number);
		await bea.send(await bea.open(number), 'Accept', 'Fine.');

		const page = await cyd.send(url, 'Accept', 'Fine.');
		expect(page).toContain('Somebody has decided on this case meanwhile');
		expect(await rowOf(number)).toMatchObject({ state: 'second', people: bea.id });
	});

	it('when the case has expired, before and after its page', async () => {
		const [number, early] = [await addCase({}), await addCase({ expires: daysAgo(1) })];
		const url = await bea.open(number);
		await cases.change('customData', String((await rowOf(number)).customData), {
			expires: daysAgo(1),
		});

		expect(await bea.send(url, 'Accept', 'Fine.')).toContain('This case has expired');
		expect(await bea.show(`?Case=${early}`, UNCHANGED)).toContain('This case has expired');
		expect(await rowOf(number)).toMatchObject({ state: 'open', people: null });
		expect(archived()).toEqual([]);
	});
});

describe('a result', () => {
	it('opens one case, however often it is sent', async () => {
		const result = fixture('webhook-review', changes());
		await Promise.all([1, 2, 3].map(async () => await example.sendResult(result)));
		const { subject = '' } = await mailTo(TEAM);
		const [, number = ''] = /^Case (\d+)/.exec(subject) ?? [];
		await bea.send(await bea.open(number), 'Accept', 'Fine.');
		await example.sendResult(result);
		await newestExecution();

		expect(await cases.wholeRows()).toEqual([await rowOf(number)]);
		expect(await rowOf(number)).toMatchObject({ state: 'accept' });
		expect(outside.takeMails().map(({ to }) => to)).toMatchObject([{ text: ARCHIVE }]);
	});

	it('of an accept opens the account, and no case', async () => {
		await example.sendResult(fixture('webhook-accept', changes()));
		expect(Object.keys((await newestExecution()).data).at(-1)).toBe('Did a Person Decide?');
		expect(await cases.wholeRows()).toEqual([]);
	});
});

describe('what a stranger or a colleague writes stays text', () => {
	it('on the page of a case and in the archive', async () => {
		const linesOf = async (written: string) => {
			const number = await twoDecide({ customData: written });
			const first = await bea.show(`?Case=${number}`, `Case ${number}`);
			await bea.decide('Accept', written, COUNTS);
			const second = await cyd.show(`?Case=${number}`, `Case ${number}`);
			expect(await cyd.page.locator('a, img').count()).toBe(0);
			const mail = archived().join('');
			return [first, second, mail].map((text) => text.split('\n').length);
		};

		const harmless = await linesOf(MARKER);
		expect(await linesOf(HOSTILE_TEXT)).toEqual(harmless);
		// The table keeps Custom Data as it is, for the steps that follow.
		expect(JSON.stringify(await cases.wholeRows())).toContain('<a href');
	});

	it('on the page of a customer', async () => {
		const written = { transactionId: HOSTILE_TEXT, reasons: HOSTILE_TEXT, history: HOSTILE_TEXT };
		const number = await addCase({ customData: 'A-1', ...written });
		expect(await bea.show('?Customer=A-1', 'Cases')).toContain(MARKER);
		expect(await bea.page.locator('a').allInnerTexts()).toEqual([`Case ${number}`]);
		expect(await bea.page.locator('img').count()).toBe(0);
	});
});

describe('the list', () => {
	it('has the open cases, oldest first, with the overdue ones marked', async () => {
		const overdue = await addCase({ due: daysAgo(1) });
		await addCase({ state: 'accept' });
		const second = await addCase({ state: 'second' });
		const page = await bea.show('', 'Cases');
		const lines = page.split('\n').filter((line) => line.startsWith('Case '));

		expect(lines).toEqual([
			expect.stringMatching(`^Case ${overdue}: open, due on .+, overdue$`),
			expect.stringMatching(`^Case ${second}: needs a second person, due on [^,]+$`),
		]);
		await bea.page.getByRole('link', { name: `Case ${overdue}` }).click();
		await bea.page.getByRole('button', { name: 'Show' }).click();
		await bea.page.getByRole('heading', { name: `Case ${overdue}` }).waitFor();
	});

	it('ends after 100 cases, and says how many there are more', async () => {
		await cases.add(...Array.from({ length: 103 }, () => someCase({})));
		const page = await bea.show('', 'Cases');
		expect(page.match(/^Case /gm)).toHaveLength(100);
		expect(page).toContain('And 3 more.');
	});

	it('of a customer has all of their cases and decisions, and nobody else', async () => {
		const customData = 'A-1';
		for (const other of ['A-11', 'a-1']) await addCase({ customData: other });
		const number = await addCase({ customData });
		await bea.send(await bea.open(number), 'Reject', 'A copy.');
		const page = await cyd.show('?Customer=A-1', 'Cases');

		expect(page.match(/^Case \d+/gm)).toEqual([`Case ${number}`]);
		expect(page).toMatch(new RegExp(`reject: account ${bea.id}.+Reason: A copy\\.`));
	});
});

describe('every morning', () => {
	const EXPIRED = { expires: daysAgo(1), due: daysAgo(29) };

	it('reminds, tells the lead, and expires, without the customers', async () => {
		const numbers = {
			fresh: await addCase({}),
			overdue: await addCase({ due: daysAgo(1) }),
			late: await addCase({ due: daysAgo(3), state: 'second' }),
			disputed: await addCase({ state: 'lead' }),
			expired: await addCase(EXPIRED),
			expiredBefore: await addCase({ ...EXPIRED, state: 'expired', closedAt: daysAgo(1) }),
			stuck: await addCase({ state: 'accept', closedAt: daysAgo(0.1) }),
			deciding: await addCase({ state: 'reject', closedAt: daysAgo(0) }),
			old: await addCase({
				...EXPIRED,
				state: 'accept',
				closedAt: daysAgo(5),
				carriedOutAt: daysAgo(5),
			}),
		};
		expect((await example.run('Every Morning')).status).toBe('success');

		const mails = Object.fromEntries(example.takeMails()) as Record<string, string>;
		expect(Object.keys(mails).sort()).toEqual([LEAD, TEAM]);
		expect(mails[TEAM]).toContain(`overdue: ${numbers.overdue}, ${numbers.late}\n`);
		expect(mails[LEAD]).toContain(`more than two days: ${numbers.late}\n`);
		expect(mails[LEAD]).toContain(`a lead has to decide: ${numbers.disputed}\n`);
		expect(mails[LEAD]).toContain(`Expired today without a decision: ${numbers.expired}\n`);
		expect(mails[LEAD]).toContain(`not carried out: ${numbers.stuck}\n`);
		expect(Object.values(mails).join()).not.toContain('C-');
		expect(await rowOf(numbers.expired)).toMatchObject({ state: 'expired' });
		expect((await rowOf(numbers.expired)).closedAt).not.toBeNull();
		for (const number of [numbers.old, numbers.stuck]) {
			expect(await rowOf(number)).toMatchObject({ state: 'accept' });
		}
	});

	it('mails nobody when there is nothing to say', async () => {
		await addCase({});
		expect((await example.run('Every Morning')).status).toBe('success');
		expect(example.takeMails()).toEqual([]);
	});
});

describe('every Monday', () => {
	it('mails the figures', async () => {
		const closed = (hours: number) => ({ closedAt: daysAgo(-hours / 24) });
		await addCase({ due: daysAgo(1) });
		await addCase({ state: 'lead' });
		await addCase({ state: 'accept', service: 'reject', ...closed(2) });
		await addCase({ state: 'accept', ...closed(4) });
		await addCase({ state: 'reject', service: 'reject', ...closed(9) });
		await addCase({ state: 'expired', ...closed(1) });
		await addCase({ state: 'accept', service: 'reject', closedAt: daysAgo(8) });
		expect((await example.run('Every Monday')).status).toBe('success');

		const [[address, text = ''] = [], ...more] = example.takeMails();
		expect([address, more]).toEqual(['compliance@example.com', []]);
		const figures = ['Opened: 7', 'Decided: 3', 'decision: 4.0', 'by people: 1', 'Expired: 1'];
		for (const figure of [...figures, 'Open now: 2', 'Overdue now: 1']) {
			expect(text).toContain(`${figure}\n`);
		}
	});

	it('mails zeros when there was nothing', async () => {
		expect((await example.run('Every Monday')).status).toBe('success');
		expect(example.takeMails()).toMatchObject([
			[expect.anything(), expect.stringMatching(/^Opened: 0\nDecided: 0\n.+: none\n/)],
		]);
	});
});

it('is set up, and tried without the service', async () => {
	await cases.remove();
	await example.run(TRY);

	expect(await cases.wholeRows()).toMatchObject([
		{ customData: 'invented-1', service: 'review', needed: 1, state: 'open' },
		{ customData: 'invented-3', service: 'reject', needed: 2, state: 'open' },
	]);
});
