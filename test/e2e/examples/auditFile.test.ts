import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { itemsOf } from '../../../dev/stack/execution';
import { filesFolder } from '../../../dev/stack/stack';
import { usePublished } from './support/useExample';
import { fixture } from '../../kit/data/fixtures';
import { openStack } from '../../kit/n8n/stack';
import { sha256 } from '../../kit/service/sandbox';

const archive = join(filesFolder(openStack().folder), 'archive');
const example = usePublished('audit-file', {
	replace: { '/home/node/.n8n-files': archive },
});

beforeEach(async () => {
	await rm(archive, { recursive: true, force: true });
	await mkdir(archive);
});

it.each(['accept', 'lowConfidence', 'aml'])('stores the report of: %s', async (scenario) => {
	const { transactionId } = await example.verify('applicant-1', scenario);
	await example.takeSucceeded();

	const stored = await readdir(archive);
	expect(stored).toEqual([expect.stringMatching(`^audit-${transactionId}-.+\\.pdf$`)]);
	const content = await readFile(join(archive, stored[0] ?? ''));
	expect(content.subarray(0, 5).toString()).toBe('%PDF-');
	expect(content.subarray(-8).toString()).toContain('%%EOF');
});

it('stores two reports of one name, which is too long for a disk', async () => {
	const outputFile: IDataObject[] = [];
	for (const scenario of ['accept', 'aml']) {
		const { transactionId } = await example.verify('applicant-1', scenario);
		await example.takeSucceeded();
		outputFile.push({
			fileName: `${'報告'.repeat(45)}.pdf`,
			fileUrl: `${example.sandbox.filesUrl}/reports/${transactionId}.pdf`,
		});
	}

	await example.sendResult(fixture('webhook-accept', { transactionId: 'both', outputFile }));
	await example.takeSucceeded();

	const stored = (await readdir(archive)).filter((name) => name.startsWith('audit-both-報告'));
	expect(stored).toHaveLength(2);
	const [first, second] = await Promise.all(
		stored.map(async (name) => await readFile(join(archive, name), 'latin1')),
	);
	expect(first).toMatch(/^%PDF-/);
	expect(second).toMatch(/^%PDF-/);
	expect(first).not.toBe(second);
});

it('stores nothing when the profile has no audit report', async () => {
	await example.directResults({ auditReport: false });
	await example.verify('applicant-1', 'accept');
	await example.takeSucceeded();

	expect(await readdir(archive)).toEqual([]);
});

it('stores a report of whatever name and type, and no image', async () => {
	const fileUrl = `${example.sandbox.filesUrl}/files/large?bytes=3`;
	const changes = { transactionId: 'any', outputFile: [{ fileName: 'report', fileUrl }] };
	await example.sendResult(fixture('webhook-accept', changes));
	const execution = await example.takeSucceeded();

	expect(await readdir(archive)).toEqual(['audit-any-report']);
	expect(Object.keys(execution.data)).not.toContain('Tell the Team');
});

it('stores the files that could be read, and tells the team of the others', async () => {
	await example.verify('applicant-1', 'accept');
	const [{ files } = {}] = itemsOf(await example.takeSucceeded(), 'Verification Completed');
	const reports = (files as object[]).filter((file) => 'fileUrl' in file && !('image' in file));
	await rm(archive, { recursive: true });
	await mkdir(archive);

	const changes = { transactionId: null, hosted: 'a/b', outputFile: [...reports, 'no file'] };
	await example.sendResult(fixture('webhook-accept', changes as IDataObject));
	const execution = await example.takeSucceeded();

	expect(await readdir(archive)).toEqual([
		expect.stringMatching(`^audit-${sha256(Buffer.from('a/b'))}-.+\\.pdf$`),
	]);
	expect(itemsOf(execution, 'Tell the Team')).toEqual([{ note: expect.stringContaining('a/b') }]);
});

it('tells the team of a report without an address', async () => {
	const outputFile = [{ fileName: 'report.pdf', fileUrl: 'report.pdf' }];
	await example.sendResult(fixture('webhook-accept', { transactionId: 'none', outputFile }));
	const execution = await example.takeSucceeded();

	expect(await readdir(archive)).toEqual([]);
	expect(itemsOf(execution, 'Tell the Team')).toEqual([{ note: expect.stringContaining('none') }]);
});
