import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/n8n/browser';
import { usePublished } from './support/useExample';
import { sha256 } from '../../kit/service/sandbox';

const PROFILE = 'sandbox-accept';
const ASSETS = join(ROOT, 'dev', 'sandbox', 'assets');
const FRONT = join(ASSETS, 'specimen-front.jpg');
const BACK = join(ASSETS, 'specimen-back.jpg');
const NO_PHOTO = {
	name: 'back.jpg',
	mimeType: 'image/jpeg',
	buffer: Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n'),
};

const example = usePublished('front-and-back');
const { outside, sandbox } = example;
const browser = useBrowser();

const CARD = 'Card with two sides';
const EMPTY = { ...NO_PHOTO, buffer: Buffer.alloc(0) };

async function upload(back?: string | typeof NO_PHOTO, document = CARD): Promise<void> {
	const { page } = browser;
	await page.goto(example.formUrl);
	await page.getByLabel('Customer Number').fill('4711');
	await page.getByLabel('Document').selectOption(document);
	await page.getByLabel('Front').setInputFiles(FRONT);
	if (back) await page.getByLabel('Back').setInputFiles(back);
	await page.getByRole('button', { name: 'Check' }).click();
}

/** Waits for a text, and until n8n has deleted the execution, as it does when it has succeeded. */
async function untilShown(text: string): Promise<void> {
	await browser.page.getByText(text).waitFor();
	await browser.page.waitForLoadState('networkidle');
	const isGone = async () => (await example.workflow.list()).length === 0 || undefined;
	await poll(isGone, { what: 'the execution to be deleted', timeoutMs: 60_000 });
}

const mails = () => outside.takeMails().map(({ subject, text }) => [subject, text]);
const digest = async (file: string) => ({ sha256: sha256(await readFile(file)) });

it('scans both sides of a card with one paid request', async () => {
	await upload(BACK);
	await untilShown('Your document is verified.');

	const [request, ...others] = await sandbox.requests();
	expect(others).toEqual([]);
	expect(request?.images).toMatchObject({ document: await digest(FRONT) });
	const back = Buffer.from(String(request?.fields.documentBack), 'base64');
	expect(back.equals(await readFile(BACK))).toBe(true);
	expect(mails()).toEqual([]);
});

it('scans a passport, which has no back, without one', async () => {
	await sandbox.setProfile(PROFILE, { scenario: 'expired' });
	await upload(undefined, 'Passport');
	await untilShown('We could not verify your document.');

	const [request, ...others] = await sandbox.requests();
	expect(others).toEqual([]);
	expect(request?.images).toMatchObject({ document: await digest(FRONT) });
	expect(request?.fields.documentBack).toBeUndefined();
});

it('scans the back, too, if it came with what is called a passport', async () => {
	await upload(BACK, 'Passport');
	await untilShown('Your document is verified.');

	const [request] = await sandbox.requests();
	expect(request?.fields).toHaveProperty('documentBack');
});

it('asks the team to decide where the service does not', async () => {
	await sandbox.setProfile(PROFILE, { scenario: 'lowConfidence' });
	await upload(BACK);
	await untilShown('A member of our team will look at your document');

	expect(mails()).toEqual([
		[
			'Please decide on the document of customer 4711',
			expect.stringContaining('LOW_TEXT_CONFIDENCE'),
		],
	]);
});

it.each([
	['not one', NO_PHOTO],
	// n8n's page doesn't send an empty file.
	['empty', EMPTY],
	['missing', undefined],
])(
	'asks for photos if the back of a card is %s, and neither pays nor bothers the team',
	async (_, back) => {
		await upload(back);
		await untilShown('We need photos of both sides of your card');

		expect(await sandbox.requests()).toEqual([]);
		expect(mails()).toEqual([]);
	},
);

it.each([
	['truncated', 'The scan may have been charged: look it up in the portal'],
	['unauthorized', 'Nothing was charged.'],
] as const)('tells the team when the scan fails, and what it may cost: %s', async (kind, cost) => {
	await sandbox.fault({ on: 'scan', kind });
	await upload(BACK);
	await untilShown('Please try again later.');

	expect(mails()).toEqual([
		['The document could not be checked: customer 4711', expect.stringContaining(cost)],
	]);
});
