import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { ROOT } from '../../../dev/stack/paths';
import { sha256 } from '../../kit/service/sandbox';
import { untilGone } from './support/pilotReport';
import { endPage } from './support/postForm';
import { usePublished } from './support/useExample';

const PROFILE = 'sandbox-accept';
const ASSETS = join(ROOT, 'dev', 'sandbox', 'assets');
const FRONT = readFileSync(join(ASSETS, 'specimen-front.jpg'));
const BACK = readFileSync(join(ASSETS, 'specimen-back.jpg'));
const NO_PHOTO = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n');

const example = usePublished('front-and-back');
const { outside, sandbox } = example;

const CARD = 'Card with two sides';

/** Sends the form. Returns the page that the customer sees, when n8n has deleted the execution. */
async function upload(back?: Buffer, document = CARD): Promise<string> {
	const files = back ? [new File([back], 'back.jpg')] : [];
	const page = await endPage(
		example.formUrl,
		'4711',
		document,
		[new File([FRONT], 'f.jpg')],
		files,
	);
	await untilGone(example.workflow);
	return page;
}

const mails = () => outside.takeMails().map(({ subject, text }) => [subject, text]);

it('scans both sides of a card with one paid request, and asks the team where the service does not decide', async () => {
	expect(await upload(BACK)).toContain('Your document is verified.');

	const [request, ...others] = await sandbox.requests();
	expect(others).toEqual([]);
	expect(request?.images).toMatchObject({ document: { sha256: sha256(FRONT) } });
	const back = Buffer.from(String(request?.fields.documentBack), 'base64');
	expect(back.equals(BACK)).toBe(true);
	expect(mails()).toEqual([]);

	await sandbox.setProfile(PROFILE, { scenario: 'lowConfidence' });
	expect(await upload(BACK)).toContain('A member of our team will look at your document');
	expect(mails()).toEqual([
		[
			'Please decide on the document of customer 4711',
			expect.stringContaining('LOW_TEXT_CONFIDENCE'),
		],
	]);
});

it('scans a passport, which has no back, without one, and the back, too, if it came', async () => {
	await sandbox.setProfile(PROFILE, { scenario: 'expired' });
	expect(await upload(undefined, 'Passport')).toContain('We could not verify your document.');
	expect(await upload(BACK, 'Passport')).toContain('We could not verify your document.');

	const [without, withBack, ...others] = await sandbox.requests();
	expect(others).toEqual([]);
	expect(without?.images).toMatchObject({ document: { sha256: sha256(FRONT) } });
	expect(without?.fields.documentBack).toBeUndefined();
	expect(withBack?.fields).toHaveProperty('documentBack');
});

it.each([
	['not one', NO_PHOTO],
	['empty', Buffer.alloc(0)],
	// As from n8n's page, which doesn't send an empty file.
	['missing', undefined],
])(
	'asks for photos if the back of a card is %s, and neither pays nor bothers the team',
	async (_, back) => {
		expect(await upload(back)).toContain('We need photos of both sides of your card');

		expect(await sandbox.requests()).toEqual([]);
		expect(mails()).toEqual([]);
	},
);

it.each([
	['truncated', 'The scan may have been charged: look it up in the portal'],
	['unauthorized', 'Nothing was charged.'],
] as const)('tells the team when the scan fails, and what it may cost: %s', async (kind, cost) => {
	await sandbox.fault({ on: 'scan', kind });
	expect(await upload(BACK)).toContain('Please try again later.');

	expect(mails()).toEqual([
		['The document could not be checked: customer 4711', expect.stringContaining(cost)],
	]);
});
