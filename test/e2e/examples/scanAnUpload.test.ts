import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Scenario } from '../../../dev/sandbox/scenarios';
import { ROOT, SPECIMEN } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { sha256 } from '../../kit/service/sandbox';
import { untilGone } from './support/pilotReport';
import { endPage, postForm } from './support/postForm';
import { usePublished } from './support/useExample';

const PROFILE = 'sandbox-accept';
const DOCUMENT = readFileSync(SPECIMEN);
const SELFIE = readFileSync(join(ROOT, 'dev', 'sandbox', 'assets', 'specimen-face.jpg'));
const NO_PHOTO = Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n');

const example = usePublished('scan-an-upload');
const { outside, sandbox } = example;

const fields = (document = DOCUMENT) => [
	'4711',
	[new File([document], 'passport.jpg')],
	[new File([SELFIE], 'selfie.jpg')],
];

/** Sends the form. Returns the page that the applicant sees, when n8n has deleted the execution. */
async function upload(document = DOCUMENT): Promise<string> {
	const page = await endPage(example.formUrl, ...fields(document));
	await untilGone(example.workflow);
	return page;
}

/** The mails that the team has got: their subject, and their text. */
function mails() {
	return outside.takeMails().map(({ subject, text }) => [subject, text]);
}

const TO_DECIDE = 'Please decide on the documents of customer 4711';
const FAILED = 'The documents could not be checked: customer 4711';

it.each<[Scenario, string, unknown[]]>([
	['accept', 'Your identity is verified.', []],
	[
		'lowConfidence',
		'A member of our team will look at your documents',
		[
			[
				TO_DECIDE,
				expect.stringMatching(
					/Warnings: LOW_TEXT_CONFIDENCE.*\nTransaction: (?!unknown)\w+\nCustomer: 4711\n$/,
				),
			],
		],
	],
	['expired', 'We could not verify your identity.', []],
])('shows the page of the decision, and keeps no documents: %s', async (scenario, text, sent) => {
	await sandbox.setProfile(PROFILE, { scenario });
	expect(await upload()).toContain(text);

	const [request, ...others] = await sandbox.requests();
	expect(others).toEqual([]);
	expect(request?.images).toMatchObject({
		document: { sha256: sha256(DOCUMENT) },
		face: { sha256: sha256(SELFIE) },
	});
	expect(mails()).toEqual(sent);
});

it.each([
	['truncated', 'The scan may have been charged: look it up in the portal'],
	['unauthorized', 'Nothing was charged.'],
] as const)(
	'says so when the scan fails, and tells the team what it may cost: %s',
	async (kind, cost) => {
		await sandbox.fault({ on: 'scan', kind });
		expect(await upload()).toContain('Please try again later.');

		expect(mails()).toEqual([[FAILED, expect.stringContaining(cost)]]);
	},
);

it('asks for a photo when a PDF is uploaded in place of one, and neither pays nor bothers the team', async () => {
	expect(await upload(NO_PHOTO)).toContain('We can only check photos.');

	expect(await sandbox.requests()).toEqual([]);
	expect(mails()).toEqual([]);
});

it('keeps no documents when the applicant leaves before the last page, and tells the team', async () => {
	await sandbox.setProfile(PROFILE, { scenario: 'lowConfidence' });
	await example.start({ '"resumeUnit": "minutes"': '"resumeUnit": "seconds"' });
	await postForm(example.formUrl, fields());
	const arrived = () => {
		const sent = mails();
		return Promise.resolve(sent.length > 0 ? sent : undefined);
	};

	// n8n looks once a minute for executions whose time to wait has passed.
	const told = await poll(arrived, { what: 'the mail to the team', timeoutMs: 240_000 });
	await untilGone(example.workflow);
	expect([...told, ...mails()]).toEqual([[TO_DECIDE, expect.anything()]]);
}, 300_000);
