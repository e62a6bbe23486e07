import { useTable } from './support/dataTable';
import { LOOK_UP, MORNING, NOT_FOUND, daysAgo } from './support/mornings';
import { useExample } from './support/useExample';

/** Accepted long ago, with a document that expires within a month. */
const EXPIRING = { state: 'accepted', since: daysAgo(1000), documentExpires: daysAgo(-27) };
const TEAM = 'team@example.com';

const example = useExample('check-again', {
	// Otherwise, n8n wouldn't list a Retry that succeeds.
	replace: { '"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"' },
});
const { api, takeMails, outside, sandbox } = example;
const caseList = useTable(api, 'case-list');
const links = async () => (await example.links()).map(({ customData }) => customData);

it('sends a new link a month before a document expires, once, and the case list has it', async () => {
	await caseList.add({ customData: 'applicant-3', ...EXPIRING, reminded: daysAgo(998) });
	expect(await example.run(MORNING)).toMatchObject({ status: 'success' });

	const [row, ...others] = await caseList.rows();
	expect(others).toEqual([]);
	expect(row).toMatchObject({ customData: 'applicant-3', state: 'link sent', reminded: null });
	expect(row?.url).toContain(row?.reference ?? '-');
	expect(Math.abs(Date.parse(row?.since ?? '') - Date.now())).toBeLessThan(60_000);
	const [[to, text = ''] = [], ...more] = takeMails();
	expect([to, more]).toEqual(['applicant-3@example.com', []]);
	expect(text).toContain('verified your identity expires soon.');
	expect(text).toContain(row?.url ?? '-');
	expect(await links()).toEqual(['applicant-3']);

	expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
	expect(takeMails()).toEqual([]);
	expect(await links()).toEqual(['applicant-3']);
});

it('sends none to anybody else', async () => {
	await caseList.add({ customData: 'later', ...EXPIRING, documentExpires: daysAgo(-33) });
	await caseList.add({ customData: 'no-date', ...EXPIRING, documentExpires: null });
	for (const state of ['link sent', 'in review', 'rejected', 'no result']) {
		await caseList.add({ customData: state, ...EXPIRING, state });
	}
	expect(await example.run(MORNING)).toMatchObject({ status: 'success' });

	expect(await links()).toEqual([]);
	expect(takeMails()).toEqual([]);
});

it('pays nothing for people without an address, tells the team, and serves the others', async () => {
	await caseList.add({ customData: 'unknown', ...EXPIRING, documentExpires: daysAgo(5) });
	await caseList.add({ customData: 'two', ...EXPIRING, documentExpires: daysAgo(-5) });
	await caseList.add({ customData: 'applicant-4', ...EXPIRING });
	outside.answers.set(LOOK_UP, NOT_FOUND);
	const email = 'two@example.com, three@example.com';
	outside.answers.set(LOOK_UP.replace('unknown', 'two'), { status: 200, body: { email } });

	expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
	expect(await links()).toEqual(['applicant-4']);
	const [[to] = [], [team, text = ''] = [], ...others] = takeMails();
	expect([to, team, others]).toEqual(['applicant-4@example.com', TEAM, []]);
	expect(text).toMatch(/^no new link, and the document has expired on \d{4}-\d\d-\d\d: unknown$/m);
	expect(text).toMatch(/^no new link, and the document expires on \d{4}-\d\d-\d\d: two$/m);
	expect(text).not.toContain('applicant-4');

	outside.answers.clear();
	outside.answers.set(LOOK_UP, { status: 200, body: { email: ' Alex <alex@müller.example> ' } });
	expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
	expect(await links()).toEqual(['applicant-4', 'unknown', 'two']);
	expect(takeMails()).toEqual([
		[expect.stringMatching(/^alex@/), expect.stringContaining('your identity has expired.')],
		['two@example.com', expect.stringContaining('your identity expires soon.')],
	]);
});

it('tells the team of each new link that had no result', async () => {
	const url = 'https://example.com/unused';
	const unused = { ...EXPIRING, state: 'no result', since: daysAgo(0.5), url };
	await caseList.add({ customData: 'applicant-6', ...unused });
	await caseList.add({ customData: 'applicant-7', ...unused, documentExpires: null });
	expect(await example.run(MORNING)).toMatchObject({ status: 'success' });

	const [[to, text = ''] = [], ...others] = takeMails();
	expect([to, others]).toEqual([TEAM, []]);
	expect(String(text).match(/^no result since \d{4}-\d\d-\d\d: .*$/gm)).toEqual([
		expect.stringMatching(/: applicant-6$/),
		expect.stringMatching(/: applicant-7$/),
	]);
	expect(await links()).toEqual([]);
});

it('leaves the person as they were, for the next morning, if a link was refused unpaid', async () => {
	const link = { reference: 'former-link', url: 'https://example.com/former' };
	await caseList.add({ customData: 'applicant-8', ...EXPIRING, ...link });
	const [before] = await caseList.rows();
	await sandbox.fault({ on: 'hosted', kind: 'unauthorized' });
	expect((await example.run(MORNING)).status).toBe('error');
	expect(await caseList.rows()).toEqual([before]);

	expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
	expect(takeMails()).toEqual([['applicant-8@example.com', expect.anything()]]);
});

it('leaves a row that has another link by then, if its own was refused unpaid', async () => {
	const newer = { state: 'link sent', since: daysAgo(0), reference: 'newer-link' };
	await caseList.add({ customData: 'applicant-10', ...EXPIRING, reference: 'former-link' });
	await caseList.add({ customData: 'applicant-10', ...newer });
	const before = await caseList.rows();
	await sandbox.fault({ on: 'hosted', kind: 'unauthorized' });
	expect((await example.run(MORNING)).status).toBe('error');

	expect(await caseList.rows()).toEqual(before);
});

it('pays for no second link of somebody whose first may have been paid for, and tells the team', async () => {
	await caseList.add({ customData: 'applicant-9', ...EXPIRING, reference: 'former-link' });
	await sandbox.fault({ on: 'hosted', kind: 'truncated' });
	expect((await example.run(MORNING)).status).toBe('error');
	expect(await caseList.rows()).toMatchObject([{ state: 'no result', reference: null, url: null }]);

	expect(await example.run(MORNING)).toMatchObject({ status: 'success' });
	const [[to, text] = [], ...others] = takeMails();
	expect([to, others]).toEqual([TEAM, []]);
	expect(text).toMatch(
		/^a link may have been paid for, but none was sent, on \d{4}-\d\d-\d\d: applicant-9$/m,
	);
	expect(await links()).toEqual(['applicant-9']);
});

it('sends the link after a Retry, which does not pay again, if its mail failed', async () => {
	await caseList.add({ customData: 'applicant-5', ...EXPIRING });
	outside.refused.add('applicant-5@example.com');
	const failed = await example.run(MORNING);
	expect(failed.status).toBe('error');

	outside.refused.clear();
	expect(await api.retryExecution(failed.id)).toMatchObject({ status: 'success' });
	expect(takeMails()).toEqual([['applicant-5@example.com', expect.anything()]]);
	expect(await links()).toEqual(['applicant-5']);
});
