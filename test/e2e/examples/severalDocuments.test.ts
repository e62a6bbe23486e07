import { readFileSync } from 'node:fs';

import { SPECIMEN } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/n8n/browser';
import { pageAfter, postForm } from './support/postForm';
import { usePublished } from './support/useExample';

const PHOTO = readFileSync(SPECIMEN);
const NO_PHOTO = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n');

// Each file names the profile that it is scanned with, and so its decision.
const example = usePublished('several-documents', {
	replace: {
		'"profile": "sandbox-accept"':
			'"profile": "={{ Object.values($binary)[0].fileName.split(\'.\')[0] }}"',
	},
});
const { outside, sandbox } = example;
const browser = useBrowser();

async function upload(files: Record<string, Buffer>): Promise<void> {
	const { page } = browser;
	await page.goto(example.formUrl);
	await page.getByLabel('Customer Number').fill('4711');
	const chosen = Object.entries(files).map(([name, buffer]) => {
		return { name, mimeType: 'image/jpeg', buffer };
	});
	await page.getByLabel('Documents').setInputFiles(chosen);
	await page.getByRole('button', { name: 'Check' }).click();
}

/** Waits for a text, and until n8n has deleted the execution, as it does when it has succeeded. */
async function untilShown(text: string): Promise<void> {
	await browser.page.getByText(text).waitFor();
	await browser.page.waitForLoadState('networkidle');
	const isGone = async () => (await example.workflow.list()).length === 0 || undefined;
	await poll(isGone, { what: 'the execution to be deleted', timeoutMs: 60_000 });
}

/** The profiles of the scans that were paid for. */
async function paid(): Promise<unknown[]> {
	const requests = await sandbox.requests();
	return requests
		.filter(({ billed }) => billed > 0)
		.map(({ fields }) => fields.profile)
		.sort();
}

const mails = () => outside.takeMails().map(({ subject, text }) => [subject, text]);

it('accepts an applicant of whom each document is accepted, and tells nobody', async () => {
	await upload({ 'sandbox-accept.jpg': PHOTO, 'sandbox-accept.2.jpg': PHOTO });
	await untilShown('Your 2 documents have been verified.');

	expect(await paid()).toEqual(['sandbox-accept', 'sandbox-accept']);
	expect(mails()).toEqual([]);
});

it('says of how many documents it knows, because n8n does not send an empty file', async () => {
	await upload({ 'sandbox-accept.jpg': PHOTO, 'empty.jpg': Buffer.alloc(0) });
	await untilShown('Your document has been verified.');

	expect(await paid()).toEqual(['sandbox-accept']);
});

it('takes the worst decision, and tells the team once, about all', async () => {
	await upload({
		'sandbox-accept.jpg': PHOTO,
		'sandbox-low-confidence.jpg': PHOTO,
		'sandbox-expired.jpg': PHOTO,
	});
	await untilShown('We could not verify your documents.');

	expect(await paid()).toEqual(['sandbox-accept', 'sandbox-expired', 'sandbox-low-confidence']);
	const [[subject, text] = [], ...others] = mails();
	expect(others).toEqual([]);
	expect(subject).toBe('reject: documents of customer 4711');
	expect(text).toMatch(/accept: sandbox-accept\.jpg\nWarnings: none\nTransaction: (?!unknown)\w+/);
	expect(text).toMatch(/review: sandbox-low-confidence\.jpg\n.*LOW_TEXT_CONFIDENCE/);
	expect(text).toMatch(/reject: sandbox-expired\.jpg\n/);
});

it('keeps the results of the others if a file is not a photo or its scan fails, and accepts nobody', async () => {
	await sandbox.fault({ on: 'scan', kind: 'truncated', skip: 1 });
	await upload({
		'sandbox-accept.jpg': PHOTO,
		'passport.jpg': NO_PHOTO,
		'sandbox-accept.2.jpg': PHOTO,
	});
	await untilShown(
		'upload a complete JPEG or PNG photo of what is in it, and of nothing else: passport.jpg.',
	);

	const [[subject, text] = [], ...others] = mails();
	expect(others).toEqual([]);
	expect(subject).toBe('review: documents of customer 4711');
	expect(text).toMatch(/accept: .*\.jpg\nWarnings: none\nTransaction: (?!unknown)\w+/);
	expect(text).toMatch(/not checked: passport\.jpg\nNothing was charged\.\n.*PDF file/);
	expect(text).toMatch(/not checked: .*\.jpg\nMay have been charged: look it up in the portal/);
	expect(await sandbox.requests()).toHaveLength(2);
});

it.each([6, 0])('asks for one to five files, unpaid, when there are %d', async (count) => {
	const files = Array.from({ length: count }, (_, index) => {
		return new File([PHOTO], `sandbox-accept.${index}.jpg`);
	});
	const next = await postForm(example.formUrl, ['4711', files]);

	expect(await pageAfter(next)).toContain('choose one to five files');
	expect(await sandbox.requests()).toEqual([]);
	expect(mails()).toEqual([]);
});
