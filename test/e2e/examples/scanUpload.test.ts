import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Scenario } from '../../../dev/sandbox/scenarios';
import { ROOT, SPECIMEN } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/browser';
import { sha256 } from '../../kit/sandbox';
import { usePublished } from '../../kit/examples/useExample';

const PROFILE = 'sandbox-accept';
const SELFIE = join(ROOT, 'dev', 'sandbox', 'assets', 'specimen-face.jpg');

const example = usePublished('scan-an-upload');
const { outside, sandbox } = example;
const browser = useBrowser();

async function upload(): Promise<void> {
	const { page } = browser;
	await page.goto(example.formUrl);
	await page.getByLabel('Customer Number').fill('4711');
	await page.getByLabel('Document').setInputFiles(SPECIMEN);
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
	return outside.mails().map(({ subject, text }) => [subject, text]);
}

const SUBJECT = 'Customer 4711 needs your attention';

it.each<[Scenario, string, unknown[]]>([
	['accept', 'Your identity is verified.', []],
	[
		'lowConfidence',
		'A member of our team will look at your documents',
		[[SUBJECT, expect.stringMatching(/Warnings: LOW_TEXT_CONFIDENCE.*\nTransaction: (?!none)\w/)]],
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

it('says so when the scan fails, and tells the team whether it may have been charged', async () => {
	await sandbox.fault({ on: 'scan', kind: 'truncated' });
	await upload();
	await untilShown('Please try again later.');

	expect(mails()).toEqual([
		[SUBJECT, expect.stringContaining('may have been processed and charged')],
	]);
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
