import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Scenario } from '../../../dev/sandbox/scenarios';
import { ROOT, SPECIMEN } from '../../../dev/stack/paths';
import { poll } from '../../../dev/stack/poll';
import { useBrowser } from '../../kit/browser';
import { sha256 } from '../../kit/sandbox';
import { formUrl } from '../../kit/examples/example';
import { useExample } from '../../kit/examples/useExample';

const PROFILE = 'sandbox-accept';
const SELFIE = join(ROOT, 'dev', 'sandbox', 'assets', 'specimen-face.jpg');

const example = useExample('scan-an-upload');
const { n8nUrl, sandbox, mailbox } = example;
const browser = useBrowser();

beforeAll(async () => await example.start());

async function upload(): Promise<void> {
	const { page } = browser;
	await page.goto(formUrl(n8nUrl, example.workflow.file));
	await page.getByLabel('Customer Number').fill('4711');
	await page.getByLabel('Document').setInputFiles(SPECIMEN);
	await page.getByLabel('Selfie').setInputFiles(SELFIE);
	await page.getByRole('button', { name: 'Check' }).click();
}

/** Waits for the text, and until the page has told n8n that it was shown. */
async function untilShown(text: string): Promise<void> {
	await browser.page.getByText(text).waitFor();
	await browser.page.waitForLoadState('networkidle');
}

/** The mails that the team has got: their subject, and their text. */
function mails() {
	return mailbox.take().map(({ subject, text }) => [subject, text]);
}

/** n8n deletes an execution when it has succeeded. */
const isGone = async () => ((await example.workflow.list()).length === 0 ? true : undefined);

const SUBJECT = 'Customer 4711 waits for you';

it.each<[Scenario, string, unknown[]]>([
	['accept', 'Your identity is verified.', []],
	[
		'lowConfidence',
		'A member of our team looks at your documents',
		[[SUBJECT, expect.stringMatching(/Warnings: LOW_TEXT_CONFIDENCE.*\nTransaction: (?!none)\w/)]],
	],
	['expired', 'We could not verify your identity.', []],
])('shows the page of the decision: %s', async (scenario, text, sent) => {
	await sandbox.setProfile(PROFILE, { scenario });
	await upload();
	await untilShown(text);

	const [request, ...others] = await sandbox.requests();
	expect(others).toEqual([]);
	expect(request?.images).toMatchObject({
		document: { sha256: sha256(await readFile(SPECIMEN)) },
		face: { sha256: sha256(await readFile(SELFIE)) },
	});
	await poll(isGone, { what: 'the execution to end', timeoutMs: 60_000 });
	expect(mails()).toEqual(sent);
});

it('says so when the scan fails, and tells the team whether it may have been charged', async () => {
	await sandbox.fault({ on: 'scan', kind: 'truncated' });
	await upload();
	await untilShown('Please try again later.');
	await poll(isGone, { what: 'the execution to end', timeoutMs: 60_000 });

	expect(mails()).toEqual([
		[SUBJECT, expect.stringContaining('may have been processed and charged')],
	]);
});

describe('the documents', () => {
	it('are kept by no execution', async () => {
		await sandbox.setProfile(PROFILE, { scenario: 'accept' });
		await upload();
		await untilShown('Your identity is verified.');

		await poll(isGone, { what: 'the executions to be deleted', timeoutMs: 60_000 });
	});

	it('are not kept either when the applicant leaves before the last page, and the team is told', async () => {
		await sandbox.setProfile(PROFILE, { scenario: 'lowConfidence' });
		await example.start({ '"resumeUnit": "minutes"': '"resumeUnit": "seconds"' });
		await browser.page.route('**/form-waiting/**', async (route) => await route.abort());
		await upload();
		const isWaiting = async () => (await example.workflow.list()).length > 0 || undefined;
		await poll(isWaiting, { what: 'the execution', timeoutMs: 60_000 });

		// n8n looks once a minute for executions whose time to wait has passed.
		await poll(isGone, { what: 'the executions to be deleted', timeoutMs: 240_000 });
		expect(mails()).toHaveLength(1);
	}, 300_000);
});
