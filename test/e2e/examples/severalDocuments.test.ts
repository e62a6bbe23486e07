import { readFileSync } from 'node:fs';

import { SPECIMEN } from '../../../dev/stack/paths';
import { untilGone } from './support/pilotReport';
import { endPage } from './support/postForm';
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

/** Sends the form. Returns the page that the applicant sees, when n8n has deleted the execution. */
async function upload(files: [name: string, content: Buffer][]): Promise<string> {
	const documents = files.map(([name, content]) => new File([content], name));
	const page = await endPage(example.formUrl, '4711', documents);
	await untilGone(example.workflow);
	return page;
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
	const page = await upload([
		['sandbox-accept.jpg', PHOTO],
		['sandbox-accept.2.jpg', PHOTO],
	]);

	expect(page).toContain('Your 2 documents have been verified.');
	expect(await paid()).toEqual(['sandbox-accept', 'sandbox-accept']);
	expect(mails()).toEqual([]);
});

it('takes the worst decision, and tells the team once, about all', async () => {
	const page = await upload([
		['sandbox-accept.jpg', PHOTO],
		['sandbox-low-confidence.jpg', PHOTO],
		['sandbox-expired.jpg', PHOTO],
	]);

	expect(page).toContain('We could not verify your documents.');
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
	const page = await upload([
		['sandbox-accept.jpg', PHOTO],
		['passport.jpg', NO_PHOTO],
		['sandbox-accept.2.jpg', PHOTO],
	]);

	expect(page).toContain('in place of each of them, but none of your other files: passport.jpg.');
	const [[subject, text] = [], ...others] = mails();
	expect(others).toEqual([]);
	expect(subject).toBe('review: documents of customer 4711');
	expect(text).toMatch(/accept: .*\.jpg\nWarnings: none\nTransaction: (?!unknown)\w+/);
	expect(text).toMatch(/not checked: passport\.jpg\nNothing was charged\.\n.*PDF file/);
	expect(text).toMatch(/not checked: .*\.jpg\nMay have been charged: look it up in the portal/);
	expect(await sandbox.requests()).toHaveLength(2);
});

it.each([6, 0])('asks for one to five files, unpaid, when there are %d', async (count) => {
	const files = Array.from({ length: count }, (_, index): [string, Buffer] => {
		return [`sandbox-accept.${index}.jpg`, PHOTO];
	});

	expect(await upload(files)).toContain('choose one to five files');
	expect(await sandbox.requests()).toEqual([]);
	expect(mails()).toEqual([]);
});
