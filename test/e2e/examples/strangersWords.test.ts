import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { poll } from '../../../dev/stack/poll';
import { SPECIMEN } from '../../../dev/stack/paths';
import { filesFolder } from '../../../dev/stack/stack';
import { fixture } from '../../kit/data/fixtures';
import { HOSTILE_TEXT, MARKER } from '../../kit/data/hostileText';
import { useBrowser } from '../../kit/n8n/browser';
import { openStack } from '../../kit/n8n/stack';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';
import { DataTable } from './support/dataTable';
import { pageAfter, postForm } from './support/postForm';
import type { Sent } from './support/postForm';
import { useExample, usePublished } from './support/useExample';
import type { Example } from './support/useExample';

// What a stranger writes arrives as text. test/docs/strangersWords looks at every parameter of the
// examples; here, the examples run.

const PHOTO = readFileSync(SPECIMEN);
const photo = (name: string) => new File([PHOTO], name, { type: 'image/jpeg' });

const NOT_AN_ID = ['4711\nDecision: accept', '..', 'null', '４７１１', `4711<b>`, HOSTILE_TEXT];
const FIFTY = Array.from({ length: 50 }, (_, index) => `person-${index}@example.com`).join(', ');
const NOT_AN_ADDRESS = ['not an address', FIFTY, 'a@example.com\nBcc: b@example.com', HOSTILE_TEXT];

const INVISIBLE = /[^\P{C}\n]|[\u2028\u2029\u2800\p{DI}]/u;

const browser = useBrowser();

/** Each form, and how it is filled in with one value that isn't what it asks for. */
const FORMS: [string, string[], (value: string) => Sent[], string][] = [
	['onboarding-redirect', NOT_AN_ID, (value) => [value], 'customer number'],
	['age-check', NOT_AN_ID, (value) => [value], 'customer number'],
	['onboarding-email', NOT_AN_ADDRESS, (value) => [value], 'e-mail address'],
	['scan-an-upload', NOT_AN_ID, (value) => [value, [photo('a.jpg')], [photo('b.jpg')]], 'number'],
	[
		'front-and-back',
		NOT_AN_ID,
		(value) => [value, 'Passport', [photo('a.jpg')], []],
		'customer number',
	],
	['several-documents', NOT_AN_ID, (value) => [value, [photo('a.jpg')]], 'customer number'],
	['second-chance', NOT_AN_ID, (value) => [value, 'alex@example.com'], 'customer number'],
	['second-chance', NOT_AN_ADDRESS, (value) => ['4711', value], 'e-mail address'],
	[
		'compare-with-your-records',
		NOT_AN_ADDRESS,
		(value) => ['Alex', 'Specimen', '1990-02-14', value],
		'e-mail address',
	],
];

describe.each(FORMS)('%s', (name, values, fieldsOf, asked) => {
	const example = usePublished(name);
	const table = new DataTable(example.api, 'second-chance');

	// Second chance would fail at its table.
	beforeAll(async () => await table.create());

	it(`asks for another ${asked}, and neither pays nor writes to anybody`, async () => {
		for (const value of values) {
			const page = await pageAfter(await postForm(example.formUrl, fieldsOf(value)));
			expect(page).toMatch(new RegExp(`Please check your [^<]*${asked}`));
			expect(page).not.toContain(MARKER);
		}
		expect(await example.sandbox.requests()).toEqual([]);
		expect(example.outside.takeMails()).toEqual([]);
		expect(await table.rows()).toEqual([]);
	});
});

/** The next mail of an example. */
async function nextMail({ outside }: Example) {
	return await poll(() => Promise.resolve(outside.takeMails()[0]), { what: 'a mail', ...DEADLINE });
}

describe('several-documents', () => {
	const example = usePublished('several-documents', {
		replace: { '"profile": "sandbox-accept"': '"profile": "sandbox-expired"' },
	});

	it('tells the team of a rejected file with any name in lines of its own', async () => {
		const names = [
			'passport.jpg: accept. Transaction: T1. Warnings: none; id.jpg',
			'a\u202egpj.tpecca.jpg',
			`accept\r\n\r\nOverall result: accept${' '.repeat(90)}Nothing to do.jpg`,
			'may have been processed and charged (charge: possible).jpg',
		];
		await pageAfter(await postForm(example.formUrl, ['4711', names.map(photo)]));
		const { subject, text = '' } = await nextMail(example);

		expect(subject).toBe('reject: documents of customer 4711');
		expect(text).not.toMatch(INVISIBLE);
		const lines = text.trimEnd().split('\n');
		expect(lines.slice(0, 3)).toEqual(['Overall result: reject', 'Customer: 4711', '']);
		expect(lines.filter((line) => /^Overall result/.test(line))).toHaveLength(1);
		const files = lines.slice(3).filter((line) => !/^(Warnings|Transaction): |^$/.test(line));
		expect(files).toHaveLength(names.length);
		for (const line of files) expect(line).toMatch(/^reject: .{1,80}$/);
	});
});

describe('manual-review', () => {
	const example = useExample('manual-review');
	const table = new DataTable(example.api, 'manual-review');

	beforeAll(async () => {
		await table.create();
		await example.start();
	});

	/** What the mail about a result shows: its links, and the lines of its text. */
	async function mailAbout(customData: string) {
		const changes = { customData, transactionId: `T-${customData}` };
		await example.sendResult(fixture('webhook-review', changes));
		const { html, subject = '' } = await nextMail(example);
		const [newest] = await example.workflow.list();
		await untilStatus(example.api, String(newest?.id), 'waiting');
		const { page } = browser;
		await page.setContent(String(html));
		const links = await page.getByRole('link').allInnerTexts();
		const text = await page.locator('p').first().innerText();
		await page.goto(String(await page.getByRole('link', { name: 'Decline' }).getAttribute('href')));
		await example.takeSucceeded();
		return { subject, links, lines: text.split('\n') };
	}

	it('shows the reviewer the same message, whatever Custom Data is', async () => {
		const harmless = await mailAbout(MARKER);
		const hostile = await mailAbout(HOSTILE_TEXT);

		expect(hostile.links).toEqual(harmless.links);
		expect(hostile.lines.map((line) => line.split(MARKER)[0])).toEqual(
			harmless.lines.map((line) => line.split(MARKER)[0]),
		);
		expect(hostile.subject.startsWith(`Please review ${MARKER}`)).toBe(true);
		expect(hostile.subject.length).toBeLessThan(100);
		expect([hostile.subject, ...hostile.lines].join('\n')).not.toMatch(INVISIBLE);
		// The table keeps Custom Data as it is, for the steps that follow.
		expect((await table.rows()).at(-1)).toMatchObject({ customData: expect.stringMatching('<a ') });
	});
});

describe('route-decisions', () => {
	const example = usePublished('route-decisions');

	it('rings nobody, and changes no other applicant in the CRM', async () => {
		const customData = `../../${HOSTILE_TEXT}`;
		const changes = { customData, hosted: HOSTILE_TEXT, transactionId: HOSTILE_TEXT };
		await example.sendResult(fixture('webhook-reject-aml', changes));
		await example.takeSucceeded();

		const posts = example.outside.takePosts();
		const [toCrm, toSlack] = ['/crm/', '/slack/'].map((path) =>
			posts.find(({ request }) => request.includes(path)),
		);
		const { pathname, searchParams } = new URL(String(toCrm?.request.slice(4)), 'http://crm');
		expect(pathname).toBe('/crm/api/applicants');
		expect([...searchParams.keys()]).toEqual(['id']);
		const { text } = Object(toSlack?.body) as { text: string };
		expect(text).not.toMatch(/[<>&]/);
		expect(text.split('\n')).toEqual([
			'Verification: *reject*',
			expect.stringMatching(/^Warnings: AML_SANCTION/),
			expect.stringMatching(/^Transaction: `value4711 [^`]*`$/),
			expect.stringMatching(/^Custom Data: `[^`]*value4711 [^`]*`$/),
		]);
		expect(text).not.toMatch(INVISIBLE);
	});
});

describe('audit-file', () => {
	const files = filesFolder(openStack().folder);
	const archive = join(files, 'archive-of-strangers');
	const example = usePublished('audit-file', { replace: { '/home/node/.n8n-files': archive } });

	it('writes a report into its folder, whatever the service calls it and its transaction', async () => {
		await mkdir(archive, { recursive: true });
		const { transactionId } = await example.verify('applicant-1', 'accept');
		await example.takeSucceeded();
		const before = await readdir(files);
		await rm(archive, { recursive: true });
		await mkdir(archive);
		const fileUrl = `${example.sandbox.filesUrl}/reports/${transactionId}.pdf`;
		const outputFile = [{ name: HOSTILE_TEXT, fileName: `../../${HOSTILE_TEXT}.pdf`, fileUrl }];
		const changes = { transactionId: `../../${HOSTILE_TEXT}`, outputFile };

		await example.sendResult(fixture('webhook-accept', changes));
		await example.takeSucceeded();

		const [stored = '', ...others] = await readdir(archive);
		expect(others).toEqual([]);
		expect(stored).toMatch(/^audit-[\w-]{60}-.+\.pdf$/);
		expect(stored).not.toMatch(INVISIBLE);
		expect(await readdir(files)).toEqual(before);
		await rm(archive, { recursive: true });
	});
});

describe('onboarding-page', () => {
	const example = usePublished('onboarding-page');

	it('shows nothing of its address, and starts only with an ID', async () => {
		const { page } = browser;
		for (const value of NOT_AN_ID) {
			const address = `${example.workflow.url('Verification Page')}?customer=${encodeURIComponent(value)}`;
			await page.goto(address);
			await page.getByText('This link is incomplete or incorrect.').waitFor();
			expect(await page.content()).not.toContain(MARKER);
			expect(await page.getByRole('button').count()).toBe(0);
		}
		expect(await example.links()).toEqual([]);
	});
});

describe('compare-with-your-records', () => {
	const example = usePublished('compare-with-your-records');

	it('shows a colleague what the applicant entered as text, and mails the applicant none of it', async () => {
		const name = `</td></tr></table><h1>The same person</h1>${HOSTILE_TEXT}`;
		const page = await postForm(example.formUrl, [name, name, '1990-02-14', 'alex@example.com']);
		await pageAfter(page);
		const mail = await nextMail(example);
		expect(mail.to).toMatchObject({ text: 'alex@example.com' });
		expect(mail.text).not.toContain(MARKER);
		const [newest] = await example.workflow.list();
		await untilStatus(example.api, String(newest?.id), 'waiting');
		const [link = ''] = /http\S+/.exec(mail.text ?? '') ?? [];
		await example.sandbox.finishLink(link, 'accept');
		const { html } = await nextMail(example);

		await browser.page.setContent(String(html));
		expect(await browser.page.getByRole('row').count()).toBe(3);
		expect(await browser.page.locator('a, img, h1').count()).toBe(0);
		const shown = await browser.page.getByRole('cell').first().innerText();
		expect(shown).toContain('<h1>The same person</h1>');
		expect(shown).not.toMatch(INVISIBLE);
	});
});
