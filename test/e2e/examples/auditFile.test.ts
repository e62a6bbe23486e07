import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { filesFolder } from '../../../dev/stack/stack';
import { useExample } from '../../kit/examples/useExample';

const example = useExample('audit-file', {
	replace: () => ({ '/home/node/.n8n-files': archive }),
});
const archive = join(filesFolder(example.folder), 'archive');

beforeAll(async () => {
	await rm(archive, { recursive: true, force: true });
	await mkdir(archive);
	await example.start();
});

async function verify(scenario: string, profile: object = {}) {
	await example.listen(profile);
	const webhook = await example.verify('applicant-1', scenario);
	expect(await example.workflow.newExecution()).toMatchObject({ status: 'success' });
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
