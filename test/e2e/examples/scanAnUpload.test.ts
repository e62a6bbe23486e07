import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';

import type { Scenario } from '../../../dev/sandbox/scenarios';
import { ROOT, SPECIMEN } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/n8n/browser';
import { sha256 } from '../../kit/service/sandbox';
import { usePublished } from './support/useExample';

const PROFILE = 'sandbox-accept';
const SELFIE = join(ROOT, 'dev', 'sandbox', 'assets', 'specimen-face.jpg');

const example = usePublished('scan-an-upload');
const { outside, sandbox } = example;
const browser = useBrowser();

async function upload(document: Parameters<Locator['setInputFiles']>[0] = SPECIMEN): Promise<void> {
	const { page } = browser;
	await page.goto(example.formUrl);
	await page.getByLabel('Customer Number').fill('4711');
	await page.getByLabel('Document').setInputFiles(document);
	await page.getByLabel('Selfie').setInputFiles(SELFIE);
	await page.getByRole('button', { name: 'Check' }).click();
}

/**
 * Waits for a text, and until n8n has deleted the execution, which it does when it has succeeded.
 */
async function untilShown(text: string): Promise<void> {
	await browser.page.getByText(text).waitFor();
	// The page tells n8n that it was shown.
	await browser.page.waitForLoadState('networkidle');
	await untilGone(60_000);
}

async function untilGone(timeoutMs: number): Promise<void> {
	const isGone = async () => (await example.workflow.list()).length === 0 || undefined;
	await poll(isGone, { what: 'the execution to be deleted', timeoutMs });
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
	await upload();
	await untilShown(text);

	const [request, ...others] = await sandbox.requests();
	expect(others).toEqual([]);
	expect(request?.images).toMatchObject({
		document: { sha256: sha256(await readFile(SPECIMEN)) },
		face: { sha256: sha256(await readFile(SELFIE)) },
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
		await upload();
		await untilShown('Please try again later.');

		expect(mails()).toEqual([[FAILED, expect.stringContaining(cost)]]);
	},
);

it('asks for a photo when a PDF is uploaded in place of one, and neither pays nor bothers the team', async () => {
	await upload({
		name: 'passport.jpg',
		mimeType: 'image/jpeg',
		buffer: Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nendobj\n%%EOF\n'),
	});
	await untilShown('We can only check photos.');

	expect(await sandbox.requests()).toEqual([]);
	expect(mails()).toEqual([]);
});

it('keeps no documents when the applicant leaves before the last page, and tells the team', async () => {
	await sandbox.setProfile(PROFILE, { scenario: 'lowConfidence' });
	await example.start({ '"resumeUnit": "minutes"': '"resumeUnit": "seconds"' });
	await browser.page.route('**/form-waiting/**', async (route) => await route.abort());
	await upload();
	const isWaiting = async () => (await example.workflow.list()).length > 0 || undefined;
	await poll(isWaiting, { what: 'the execution', timeoutMs: 60_000 });

	// n8n looks once a minute for executions whose time to wait has passed.
	await untilGone(240_000);
	expect(mails()).toHaveLength(1);
}, 300_000);
