import { readFileSync } from 'node:fs';

import { SPECIMEN } from '../../../dev/stack/paths';
import type { PilotReport } from '../../kit/data/pilotReport';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { triggerNode, workflowOf } from '../../kit/n8n/workflow';
import { AS_TEAM, reportAfter, untilGone } from './support/pilotReport';
import { pageAt, postForm } from './support/postForm';
import { usePublished } from './support/useExample';

// What its report says of each difference is in test/docs/pilot.

const PROFILE = 'sandbox-accept';
const SECRET = 'secret-of-the-examples';

const example = usePublished('pilot');
const { api, sandbox, sandboxInN8n } = example;

let webhookUrl = '';

beforeAll(async () => {
	const trigger = triggerNode('Result', { credentialId: sandboxInN8n.credentialId });
	const workflow = await LiveWorkflow.start(api, workflowOf([trigger], []));
	webhookUrl = `${workflow.url('Result')}?secret=${SECRET}`;
});

const PHOTO = readFileSync(SPECIMEN);
const PHOTO_SIZE = `${Number((PHOTO.length / 1_000).toPrecision(3))} kB`;

/** A file that begins like one of this kind. */
const fileOf = (name: string, start: string) =>
	new File([Buffer.from(start, 'latin1'), Buffer.alloc(2_000, name)], name);

const FILES = [
	fileOf('Alex Specimen.heic', '\0\0\0\x18ftypheic'),
	new File([PHOTO], 'IMG_4711.HEIC'),
	fileOf('passport.pdf', '%PDF-1.7\n'),
];

/** Fills in the form. Returns the address of its second page, and what that says. */
async function fillIn(url = webhookUrl): Promise<{ next: string; html: string }> {
	const hosts = new URL(sandbox.filesUrl).host;
	const photo = [new File([PHOTO], 'photo.jpg', { type: 'image/jpeg' })];
	const fields = [PROFILE, url, sandbox.url, hosts, photo, FILES, '10000', '', 'n8n 2.41.1'];
	const next = await postForm(example.formUrl, fields, AS_TEAM);
	return { next, html: await pageAt(next) };
}

/** What a report says, by line; times differ. */
const linesOf = ({ lines }: PilotReport) =>
	lines.map(({ id, verdict, seen }) => [
		id,
		verdict,
		seen?.replace(/, answered in at most [\d.]+ s$/, ''),
	]);

it('finds all as documented, with as many paid requests as it has announced, and says nothing of a person', async () => {
	const { next, html: plan } = await fillIn();
	expect(plan).toContain('8 paid requests of the 9 that you allow');
	expect(await sandbox.requests()).toEqual([]);
	const { report, html } = await reportAfter(next, 'requests');
	await untilGone(example.workflow);

	expect(linesOf(report)).toEqual([
		['wrong-key', 'holds', 'status 401'],
		['right-secret', 'holds', 'status 200'],
		['wrong-secret', 'holds', 'status 401'],
		['no-secret', 'holds', 'status 401'],
		['secret-strength', 'holds', 'strong'],
		['scan-answer', 'holds', 'read completely'],
		['scan-cost', 'holds', 'credits used: 1, 1, 1, 1'],
		['refusal-status', 'holds', 'refused with status 404'],
		['refusal-cost', 'seen once', 'credits used: 0'],
		['image-format', 'holds', 'HEIC (file size 2.01 kB): read, credits used: 1'],
		[
			'image-format',
			'holds',
			`HEIC by its name, JPEG by its content (file size ${PHOTO_SIZE}): read, credits used: 1`,
		],
		['other-format', 'holds', 'PDF (file size 2.01 kB): refused with status 400, credits used: 0'],
		['file-hosts', 'holds', expect.stringMatching(/^127\.0\.0\.1:\d+$/)],
	]);
	expect(report).toMatchObject({
		verdict: 'Go live.',
		stopped: null,
		requests: { sent: 8, allowed: 9 },
		credits: { before: 10_000, after: 9_994 },
	});
	expect((await sandbox.requests()).filter(({ method }) => method === 'POST')).toHaveLength(8);
	expect(html).toContain('<b>Go live.</b>');
	expect(html).toContain(
		'<b>holds:</b> The service reads the images that the node sends. (image-format)',
	);
	expect(html).toContain(
		'Scans sent: 8 of the 9 that you allow, charged or not. Credits: 10000 before',
	);
	expect(html).not.toContain('To do:');
	const said = JSON.stringify(report) + html;
	expect(said).not.toMatch(/SPECIMEN|S000-1234-5678|1990-02-14|IMG_4711|photo\.jpg|passport\.pdf/i);
	for (const secret of [SECRET, sandbox.apiKey, PROFILE]) expect(said).not.toContain(secret);
});

it('stops when an answer breaks off, and begins with that and with what to change', async () => {
	await sandbox.fault({ on: 'scan', kind: 'truncated', skip: 1 });
	const { next } = await fillIn(webhookUrl.replace(SECRET, 'another-secret-of-a-team'));
	const { report, html } = await reportAfter(next, 'requests');

	const stopped = 'There was no answer, or one that cannot be understood.';
	const verdict = `Not yet, because it stopped early. ${stopped} Change 1 setting: Webhook URL of the profile.`;
	expect(report).toMatchObject({ stopped, verdict, requests: { sent: 2 } });
	expect(html).toContain(`<b>${verdict}</b>`);
	expect(html).toContain(
		'<b>To do:</b> Webhook URL of the profile: the Production URL of the published trigger',
	);
	expect(linesOf(report)).toContainEqual(['scan-cost', 'seen once', 'credits used: 1']);
	expect(linesOf(report)).toContainEqual(['image-format', 'not seen', undefined]);
	expect((await sandbox.requests()).filter(({ method }) => method === 'POST')).toHaveLength(2);
	await untilGone(example.workflow);
});
