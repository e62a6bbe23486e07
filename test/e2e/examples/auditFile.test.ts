import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { filesFolder } from '../../../dev/stack/stack';
import { openStack } from '../../kit/n8n/handle';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useService } from '../../kit/n8n/service';
import { readExample } from '../../kit/examples/example';

const SECRET = 'secret-of-the-archive';
const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';

const { api, folder } = openStack();
const service = useService(api, SECRET);
const { sandbox } = service;
const archive = join(filesFolder(folder), 'archive');

let workflow: LiveWorkflow;

beforeAll(async () => {
	await rm(archive, { recursive: true, force: true });
	await mkdir(archive);
	const credentials = { identityVerificationApi: service.credentialId };
	const replace = { '/home/node/.n8n-files': archive };
	const file = await readExample('audit-file/workflow.json', { credentials, replace });
	workflow = await LiveWorkflow.start(api, file);
});

async function verify(scenario: string, profile: object = {}) {
	const webhookUrl = `${workflow.url(TRIGGER)}?secret=${SECRET}`;
	await sandbox.setProfile(PROFILE, { webhookUrl, ...profile });
	const webhook = await sandbox.verify({ profile: PROFILE, customData: 'applicant-1' }, scenario);
	expect(await workflow.newExecution()).toMatchObject({ status: 'success' });
	return webhook;
}

async function stored(): Promise<string[]> {
	return (await readdir(archive)).sort();
}

it.each(['accept', 'lowConfidence', 'aml'])('stores the report of: %s', async (scenario) => {
	const before = await stored();
	const { transactionId } = await verify(scenario);

	const added = (await stored()).filter((name) => !before.includes(name));
	expect(added).toEqual([expect.stringMatching(`^audit-${transactionId}-.+\\.pdf$`)]);
	const content = await readFile(join(archive, added[0] ?? ''));
	expect(content.subarray(0, 5).toString()).toBe('%PDF-');
	expect(content.subarray(-8).toString()).toContain('%%EOF');
});

it('stores nothing when the profile has no audit report', async () => {
	const before = await stored();
	await verify('accept', { auditReport: false });

	expect(await stored()).toEqual(before);
});
