import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { TRY } from '../support/runInEditor';
import { Colleague } from './support/colleague';
import { DataTable } from './support/dataTable';
import type { WholeRow } from './support/dataTable';
import { MORNING, daysAgo } from './support/mornings';
import { postFields } from './support/postForm';
import { useExample } from './support/useExample';
import { WITHOUT_GROUPS, waitBefore } from './support/waitBefore';

const EXAMPLE = 'review-desk';
const TEAM = 'team@example.com';
const LEAD = 'lead@example.com';
const ARCHIVE = 'archive@example.com';

const COUNTS = 'Your decision counts';
const UNCHANGED = 'Nothing has changed';
const FASTER = 'Somebody was faster';
const NOT_YOU = "You can't decide here";

const example = useExample(EXAMPLE);
const { api, outside } = example;
const cases = new DataTable(api, EXAMPLE, { tableName: 'Review desk: cases' });
const people = new DataTable(api, EXAMPLE, { tableName: 'Review desk: people' });

let bea: Colleague;
let cyd: Colleague;
let lea: Colleague;
/** Has an account in n8n, and isn't in the table of people. */
let max: Colleague;

async function join(firstName: string, role?: string): Promise<Colleague> {
	const colleague = await Colleague.join(api, () => example.formUrl, firstName);
	if (role) await people.add({ userId: colleague.id, name: `${firstName} of the desk`, role });
	return colleague;
}

beforeAll(async () => {
	for (const table of [cases, people]) await table.create();
	await example.start();
	bea = await join('Bea', 'reviewer');
	cyd = await join('Cyd', 'reviewer');
	lea = await join('Lea', ' Lead');
	max = await join('Max');
});

beforeEach(async () => await cases.create());

/** Closes the pages that nobody has sent. */
afterEach(async () => {
	for (const { id, status } of await example.workflow.list()) {
		if (status === 'waiting') await api.deleteExecution(id);
	}
});

afterAll(async () => {
	for (const { id } of [bea, cyd, lea, max]) await api.delete(`/users/${id}`);
	for (const table of [cases, people]) await table.remove();
});

/** The next mail to somebody, with these words in its subject. */
async function mailTo(address: string, words = '') {
	const isThere = () =>
		Promise.resolve(
			outside
				.takeMails()
				.find(
					({ to, subject }) =>
						to && 'text' in to && to.text === address && subject?.includes(words),
				),
		);
	return await poll(isThere, { what: `a mail to ${address}`, ...DEADLINE });
}

const changes = () => ({ customData: `C-${randomUUID()}`, transactionId: `T-${randomUUID()}` });

/** Opens a case about a result. Returns its number, which the mail to the team has. */
async function caseOf(result: IDataObject): Promise<string> {
	await example.sendResult(result);
	const { subject = '', text = '' } = await mailTo(TEAM, 'needs a decision');
	const [, number = ''] = /^Case (\d+) needs a decision$/.exec(subject) ?? [];
	expect(text).toContain(`?Case=${number}\n`);
	return number;
}

/** A case on which one person decides. */
const oneDecides = async (more: IDataObject = {}) =>
	await caseOf(fixture('webhook-review', { ...changes(), ...more }));

/** A case on which two people have to agree. */
const twoDecide = async (more: IDataObject = {}) =>
	await oneDecides({ decision: 'reject', ...more });

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

/** Decides on a case. Returns what the next page says. */
const decide = async (colleague: Colleague, number: string, choice: string, reason = 'Fine.') =>
	await colleague.send(await colleague.open(number), choice, reason);

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

const stepsOf = async () => Object.keys((await newestExecution()).data);

/** A case as it could be in the table. */
function someCase(row: WholeRow): WholeRow {
	const { customData, transactionId } = changes();
	const usual = { customData, transactionId, service: 'review', reasons: '', rule: 'Version 1' };
	const dates = { due: daysAgo(-2), expires: daysAgo(-30) };
	return { ...usual, key: customData.toLowerCase(), needed: 1, state: 'open', ...dates, ...row };
}

/** Adds one. Returns its number. */
async function addCase(row: WholeRow = {}): Promise<string> {
	await cases.add(someCase(row));
	return String((await cases.wholeRows()).at(-1)?.id);
}

describe('on its good way', () => {
	it('is set up, and tried without the service', async () => {
		await cases.remove();
		await example.run(TRY);

		expect(await cases.wholeRows()).toMatchObject([
			{ customData: 'invented-1', service: 'review', needed: 1, state: 'open' },
			{ customData: 'invented-3', service: 'reject', needed: 2, state: 'open' },
			{ customData: 'invented-2', service: 'accept', needed: 0, state: 'accept' },
		]);
		await example.start();
	});

	it('lets one person decide on a review', async () => {
		const customData = `C-${randomUUID()}`;
		await example.sendResult(fixture('webhook-review', { ...changes(), customData }));
		const { text = '' } = await mailTo(TEAM);
		expect(text).toMatch(/decide by \w+ \d+, \d\d:\d\d \([A-Z]\w+\/[^)]+\):\n/);
		const [, number = ''] = /\?Case=(\d+)/.exec(text) ?? [];
		const { url, html } = await bea.enter(number, '');
		expect(html).toContain('Warnings: LOW_TEXT_CONFIDENCE (led to review), IP_COUNTRY_MISMATCH');
		expect(html).toContain(`Customer: ${customData}`);
		expect(html).toContain('Your role here: reviewer\nYou decide alone.');
		expect(await bea.send(url, 'Accept', 'The photo is sharp.')).toContain('is opened');

		const row = await rowOf(number);
		expect(row).toMatchObject({ state: 'accept', people: bea.id, customData });
		expect(row.carriedOutAt).not.toBeNull();
		const [mail = '', ...more] = archived();
		expect(more).toEqual([]);
		const { transactionId } = row;
		const who = [bea.id, bea.email, 'Bea of the desk'];
		const what = ['from open to accept', 'Rule: Version 1', 'The photo is sharp.'];
		for (const fact of [...who, customData, String(transactionId), ...what]) {
			expect(mail).toContain(fact);
		}
		const steps = await stepsOf();
		expect(steps).toContain('Open the Account');
		expect(steps).not.toContain('Decline the Applicant');
	});

	it('lets two people decide on a reject', async () => {
		const number = await twoDecide({ transactionId: undefined });
		const page = await decide(bea, number, 'Reject', 'The document is copied.');
		expect(page).toContain('A second person has to decide, too.');
		expect((await mailTo(TEAM)).subject).toBe(`Case ${number} needs a second person`);
		expect(await rowOf(number)).toMatchObject({ state: 'second', closedAt: null });

		const { url, html } = await cyd.enter(number, '');
		expect(html).toMatch(/UTC, reject: Bea of the desk\. Reason: The document is copied\./);
		expect(html).not.toContain(bea.id);
		expect(html).toContain('Two people have to agree.');
		expect(await cyd.send(url, 'Reject', 'I agree.')).toContain('is declined');

		expect(await rowOf(number)).toMatchObject({
			state: 'reject',
			transactionId: expect.stringMatching(/^execution \d+$/),
			people: `${bea.id}, ${cyd.id}`,
			history: expect.stringMatching(/^.+copied\.\n.+I agree\.$/),
		});
		const steps = await stepsOf();
		expect(steps).toContain('Decline the Applicant');
		expect(steps).not.toContain('Open the Account');
	});

	it('lets a lead decide if two people disagree', async () => {
		// It doesn't say how many are needed.
		const number = await addCase({ needed: null });
		await decide(bea, number, 'Reject');
		await decide(cyd, number, 'Accept');
		expect((await mailTo(LEAD)).subject).toBe(`Case ${number}: two people disagree`);
		expect(await rowOf(number)).toMatchObject({ state: 'lead', closedAt: null });

		const { url, html } = await lea.enter(number, '');
		expect(html).toContain('Your role here: lead\nTwo people disagree: what you decide counts.');
		expect(titleOf(await lea.send(url, 'Accept', 'I have seen the original.'))).toBe(COUNTS);
		expect(await rowOf(number)).toMatchObject({
			state: 'accept',
			people: [bea.id, cyd.id, lea.id].join(', '),
		});
	});

	it("opens the account at the service's accept, once, and says so in the table", async () => {
		const customData = `C-${randomUUID()}`;
		await addCase({ customData, key: customData.toLowerCase(), state: 'accept' });
		await addCase();
		const result = fixture('webhook-accept', { ...changes(), customData });
		await example.sendResult(result);
		const steps = await stepsOf();
		expect(steps).toContain('Open the Account');
		expect(steps).not.toContain('Tell the Team');
		const accepted = {
			customData,
			service: 'accept',
			state: 'accept',
			needed: 0,
			people: null,
			history: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC, accept: the service$/),
			closedAt: expect.any(String),
			carriedOutAt: expect.any(String),
		};
		expect((await cases.wholeRows()).slice(2)).toMatchObject([accepted]);

		await example.sendResult(result);
		expect(await stepsOf()).not.toContain('Open the Account');
		expect((await cases.wholeRows()).slice(2)).toMatchObject([accepted]);
		expect(outside.takeMails()).toEqual([]);
	});

	it('lists the open cases, oldest first, and all of a customer', async () => {
		const overdue = await addCase({ due: daysAgo(1) });
		const decided = await addCase({ state: 'accept', key: 'a-1', history: 'Bea: accept' });
		const second = await addCase({ state: 'second' });
		await addCase({ key: 'a-11' });
		const linesOf = (html: string) =>
			html
				.match(/<a href="[^"]+">Case \d+<\/a>: [^\n<]+/g)
				?.map((line) => line.slice(line.indexOf('?')));

		const all = await bea.read('', '');
		expect(linesOf(all)).toEqual([
			expect.stringMatching(`^\\?Case=${overdue}">Case ${overdue}</a>: open, due on .+, overdue$`),
			expect.stringMatching(`>Case ${second}</a>: needs a second person, due on [^,]+$`),
			expect.stringMatching('</a>: open, '),
		]);
		const one = await bea.read('', ' A-1 ');
		expect(linesOf(one)).toEqual([`?Case=${decided}">Case ${decided}</a>: accept`]);
		expect(one).toContain('Bea: accept');

		await cases.add(...Array.from({ length: 103 }, () => someCase({})));
		expect(linesOf(await bea.read('', ''))).toHaveLength(100);
	});

	it('reminds, expires, and tells the lead every morning, without the customers', async () => {
		const expired = { expires: daysAgo(1), due: daysAgo(29) };
		const numbers = {
			fresh: await addCase(),
			overdue: await addCase({ due: daysAgo(1) }),
			late: await addCase({ due: daysAgo(3), state: 'second' }),
			disputed: await addCase({ state: 'lead' }),
			expired: await addCase(expired),
			expiredBefore: await addCase({ ...expired, state: 'expired', closedAt: daysAgo(1) }),
			stuck: await addCase({ state: 'accept', closedAt: daysAgo(0.1) }),
			deciding: await addCase({ state: 'reject', closedAt: daysAgo(0) }),
		};
		expect((await example.run(MORNING)).status).toBe('success');

		const mails = Object.fromEntries(example.takeMails()) as Record<string, string>;
		expect(Object.keys(mails).sort()).toEqual([LEAD, TEAM]);
		expect(mails[TEAM]).toContain(`overdue: ${numbers.overdue}, ${numbers.late}\n`);
		expect(mails[LEAD]).toContain(`more than two days: ${numbers.late}\n`);
		expect(mails[LEAD]).toContain(`a lead has to decide: ${numbers.disputed}\n`);
		expect(mails[LEAD]).toContain(`Expired today without a decision: ${numbers.expired}\n`);
		expect(mails[LEAD]).toContain(`not carried out: ${numbers.stuck}\n`);
		expect(Object.values(mails).join()).not.toContain('C-');
		expect(await rowOf(numbers.expired)).toMatchObject({ state: 'expired' });
		expect(await rowOf(numbers.stuck)).toMatchObject({ state: 'accept' });

		await cases.create();
		await addCase();
		expect((await example.run(MORNING)).status).toBe('success');
		expect(example.takeMails()).toEqual([]);
	});

	it('mails the figures every Monday', async () => {
		const closed = (hours: number) => ({ closedAt: daysAgo(-hours / 24) });
		await addCase({ due: daysAgo(1) });
		await addCase({ state: 'lead' });
		await addCase({ state: 'accept', service: 'reject', ...closed(2) });
		await addCase({ state: 'accept', ...closed(4) });
		await addCase({ state: 'reject', service: 'reject', ...closed(9) });
		await addCase({ state: 'expired', ...closed(1) });
		await addCase({ state: 'accept', service: 'reject', closedAt: daysAgo(8) });
		// The service's own accept was nobody's case.
		await addCase({ state: 'accept', service: 'accept', needed: 0, ...closed(0) });
		expect((await example.run('Every Monday')).status).toBe('success');

		const [[address, text = ''] = [], ...more] = example.takeMails();
		expect([address, more]).toEqual(['compliance@example.com', []]);
		const figures = ['Opened: 7', 'Decided: 3', 'decision: 4.0', 'by people: 1', 'Expired: 1'];
		for (const figure of [...figures, 'Open now: 2', 'Overdue now: 1']) {
			expect(text).toContain(`${figure}\n`);
		}
	});
});

describe('where somebody or something breaks in', () => {
	it('a customer whom people have rejected is not let in by another result', async () => {
		const customData = `C-${randomUUID()}`;
		const rejected = await twoDecide({ customData });
		for (const one of [bea, cyd]) await decide(one, rejected, 'Reject', 'A copy.');

		// They type themselves differently, too.
		const again = { customData: `${customData.toLowerCase()} `, transactionId: 'T-again' };
		const accepted = await caseOf(fixture('webhook-accept', again));
		expect(await rowOf(accepted)).toMatchObject({ service: 'accept', needed: 2 });
		const review = await oneDecides({ customData });
		expect(await rowOf(review)).toMatchObject({ needed: 1 });

		const { html } = await bea.enter(review, '');
		expect(html).toContain('Two people have to agree.');
		expect(html).toMatch(new RegExp(`\nCase ${accepted}: open[^]+\nCase ${rejected}: reject`));
		expect(html).toContain('Bea of the desk. Reason: A copy.');
		expect(await decide(bea, review, 'Accept')).toContain('A second person has to decide, too.');

		// What two people decide counts, whatever the older cases say.
		await decide(bea, accepted, 'Accept');
		expect(await decide(cyd, accepted, 'Accept')).toContain('The account is opened.');
		expect(await rowOf(rejected)).toMatchObject({ state: 'reject' });
		expect(await stepsOf()).toContain('Open the Account');
	});

	it('an old case does not decline, by one person, whom a newer one has accepted', async () => {
		const older = await oneDecides({ customData: 'C-older' });
		const { url, html } = await bea.enter(older, '');
		expect(html).toContain('You decide alone.');
		await addCase({ key: 'c-older', state: 'accept' });

		expect(await bea.send(url, 'Reject', 'A copy.')).toContain('A second person has to decide');
		expect(await rowOf(older)).toMatchObject({ state: 'second', needed: 1 });
	});

	it('one person does not decline, at the late result of an older link, whom the service has accepted', async () => {
		const customData = `C-${randomUUID()}`;
		await example.sendResult(fixture('webhook-accept', { ...changes(), customData }));
		expect(await stepsOf()).toContain('Open the Account');

		const late = await oneDecides({ customData });
		const { url, html } = await bea.enter(late, '');
		expect(html).toContain('Two people have to agree.');
		expect(html).toMatch(
			/\nCase \d+: accept\. The service: accept, [^]+ UTC, accept: the service\n/,
		);
		expect(await bea.send(url, 'Reject', 'A copy.')).toContain('A second person has to decide');
	});

	it('a result that is sent again opens no second case, unless its decision differs', async () => {
		const result = fixture('webhook-review', changes());
		await Promise.all([1, 2, 3].map(async () => await example.sendResult(result)));
		const { subject = '' } = await mailTo(TEAM);
		const [, number = ''] = /^Case (\d+)/.exec(subject) ?? [];
		await decide(bea, number, 'Accept');
		await example.sendResult(result);
		await newestExecution();
		expect(await cases.wholeRows()).toEqual([await rowOf(number)]);
		expect(outside.takeMails().map(({ to }) => to)).toMatchObject([{ text: ARCHIVE }]);

		const other = await caseOf({ ...result, decision: 'reject' });
		expect(await rowOf(other)).toMatchObject({ state: 'open', service: 'reject' });

		const unknown = [
			await caseOf({ ...result, decision: 'perhaps' }),
			await caseOf({ ...result, decision: 'pending' }),
		];
		for (const one of unknown) {
			const service = expect.stringMatching(/^not recognized \(execution \d+\)$/);
			expect(await rowOf(one)).toMatchObject({ state: 'open', needed: 2, service });
		}
	});

	describe('at the same moment as a reject', () => {
		const replace = { ...waitBefore("Find a Case That Isn't Accepted", 10), ...WITHOUT_GROUPS };
		beforeAll(async () => await example.start(replace));
		afterAll(async () => await example.start());

		it("the service's accept is a case for two", async () => {
			const result = fixture('webhook-accept', changes());
			await example.sendResult(result);
			const isInTable = async () => (await cases.wholeRows()).length === 1 || undefined;
			await poll(isInTable, { what: 'the row of the accept', ...DEADLINE });
			await example.sendResult({ ...result, transactionId: 'T-2', decision: 'reject' });
			const number = String((await cases.wholeRows())[0]?.id);

			const { text } = await mailTo(TEAM, `Case ${number} needs a decision`);
			expect(text).toMatch(/decide by \w+ \d+, \d\d:\d\d /);
			expect(await rowOf(number)).toMatchObject({
				...{ service: 'accept', state: 'open', needed: 2 },
				...{ carriedOutAt: null, closedAt: null, history: null },
				reasons: 'the customer has a case that is not accepted',
			});
		});
	});

	describe('when n8n was killed', () => {
		afterAll(async () => await example.start());

		it.each([
			['review', 'open', null],
			['accept', 'accept', expect.any(String)],
		])(
			'after the row of a result, Retry goes on with that row: %s',
			async (service, state, carriedOutAt) => {
				await example.start({ ...waitBefore('Open a Case', 10), ...WITHOUT_GROUPS });
				const ids = changes();
				await example.sendResult(fixture('webhook-review', { ...ids, decision: service }));
				const [running] = await example.workflow.list();
				const execution = String(running?.id);
				const number = await addCase({ ...ids, service, state, execution });

				await newestExecution();
				const row = { id: Number(number), state, carriedOutAt };
				expect(await cases.wholeRows()).toMatchObject([row]);
				expect(outside.takeMails()).toHaveLength(state === 'open' ? 1 : 0);
			},
		);

		it('a decision that is written down more than ten minutes after its page changes nothing', async () => {
			const late = { 'minutes: 10': 'seconds: 1' };
			await example.start({ ...waitBefore('The Decision', 5), ...WITHOUT_GROUPS, ...late });
			const number = await addCase();
			const page = await decide(bea, number, 'Accept');

			expect(titleOf(page)).toBe(FASTER);
			expect(await rowOf(number)).toMatchObject({ state: 'open', people: null, history: null });
			expect(archived()).toMatchObject([
				expect.stringContaining('This decision counts if'),
				expect.stringContaining(`Case ${number}: not written down\n`),
			]);
		});
	});

	describe('at the same moment as somebody else', () => {
		const replace = { ...waitBefore('Write It Down', 15), ...WITHOUT_GROUPS };
		beforeAll(async () => await example.start(replace));
		afterAll(async () => await example.start());

		it('one person counts, and the page and the archive say so of the other', async () => {
			const number = await addCase();
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
			expect(mails.at(-1)).toMatch(`Case ${number}: not written down\n`);
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
			for (const fields of [
				['', ''],
				[number, ''],
				['', String(before.customData)],
			]) {
				const page = await max.read(...fields);
				expect(titleOf(page)).toBe(NOT_YOU);
				expect(page).toContain(max.id);
				expect(page).not.toContain(String(before.customData));
			}
			const url = await bea.open(number);
			expect(titleOf(await max.send(url, 'Accept', 'Fine.'))).toBe(NOT_YOU);
		});

		it.each([
			['is removed', { userId: 'nobody else' }, NOT_YOU],
			['has no role', { role: '' }, NOT_YOU],
			['has another role', { role: 'leader' }, NOT_YOU],
		])('when a person %s meanwhile', async (_, change, title) => {
			const url = await lea.open(number);
			await people.change('name', 'Lea of the desk', change);
			const page = await lea.send(url, 'Accept', 'Fine.');
			await people.change('name', 'Lea of the desk', { userId: lea.id, role: ' Lead' });
			expect(titleOf(page)).toBe(title);
		});

		it("on the page of somebody else's case", async () => {
			const page = await cyd.send(await bea.open(number), 'Accept', 'Fine.');
			expect(titleOf(page)).toBe(UNCHANGED);
			expect(page).toContain('It is another account');
		});

		it.each([
			['without a decision', ['', 'Fine.'], 'It needs Accept or Reject'],
			['with another decision', ['Perhaps', 'Fine.'], 'It needs Accept or Reject'],
			['without a reason', ['Accept'], 'It needs a reason'],
			['with a blank reason', ['Accept', ' \u00a0\u2800\u200b\n.'], 'It needs a reason'],
			['with a late reason', ['Accept', `${'-'.repeat(300)}Fine.`], 'It needs a reason'],
			['with a file as the reason', ['Accept', [new File(['x'], 'x')]], 'It needs a reason'],
		])('by a request %s', async (_, fields, refusal) => {
			const page = await bea.send(await bea.open(number), ...fields);
			expect(titleOf(page)).toBe(UNCHANGED);
			expect(page).toContain(`${refusal}. The state of the case: open.`);
		});

		it.each(['999', '1e3', '1 OR 1=1'])('at the case %s, which does not exist', async (other) => {
			expect(await bea.read(other, '')).toContain('There is no such case.');
		});

		it('while the archive cannot be reached', async () => {
			outside.refused.add(ARCHIVE);
			const page = await decide(bea, number, 'Accept');
			expect(titleOf(page)).toBe("Your decision doesn't count");
		});

		it('in a test of the workflow in the editor', async () => {
			const path = `/workflows/${api.idOf(example.workflow.file.id)}/run`;
			const run = { triggerToStartFrom: { name: 'Review Desk' } };
			await api.post(path, run, z.unknown());
			const tester = bea.at(() => example.formUrl.replace('/form/', '/form-test/'));
			const page = await tester.read(number, '');
			expect(titleOf(page)).toBe(NOT_YOU);
			expect(page).toContain('This is a test of the workflow');
		});
	});

	it('a decision that comes too late is refused', async () => {
		const [decided, expired, early] = [
			await addCase({ needed: 2 }),
			await addCase(),
			await addCase({ expires: daysAgo(1) }),
		];
		const [first, second, third] = [
			await lea.open(decided),
			await cyd.open(decided),
			await bea.open(expired),
		];
		await decide(bea, decided, 'Accept');
		expect(await cyd.send(second, 'Accept', 'Fine.')).toContain('has changed meanwhile');
		expect(await bea.read(decided, '')).toContain('You have already decided');
		await decide(cyd, decided, 'Reject');
		await people.change('name', 'Cyd of the desk', { role: 'lead' });
		expect(await cyd.read(decided, '')).toContain('You have already decided');
		await people.change('name', 'Cyd of the desk', { role: 'reviewer' });
		await people.change('name', 'Lea of the desk', { role: 'reviewer' });
		expect(await lea.read(decided, '')).toContain('Only a lead can decide now');
		await people.change('name', 'Lea of the desk', { role: 'LEAD' });
		await decide(lea, decided, 'Accept');
		const row = await rowOf(decided);
		const late = await lea.send(first, 'Reject', 'Bad.');
		expect(late).toContain('The case is decided. The state of the case: accept.');
		expect(await rowOf(decided)).toEqual(row);

		const { customData } = await rowOf(expired);
		await cases.change('customData', String(customData), { expires: daysAgo(1) });
		expect(await bea.send(third, 'Accept', 'Fine.')).toContain('The case has expired');
		expect(await bea.read(early, '')).toContain('The case has expired');
		expect(await rowOf(expired)).toMatchObject({ state: 'open', people: null });
	});
});
