import { itemsOf } from '../../../dev/stack/execution';
import { daysAgo, useCaseList } from '../../kit/examples/caseList';
import { startCrm } from '../../kit/examples/crm';
import { useExample } from '../../kit/examples/useExample';

/** Accepted long ago, with a document that expires within a month. */
const EXPIRING = { state: 'accepted', since: daysAgo(1000), documentExpires: daysAgo(-27) };

let crm: Parameters<typeof startCrm> = [];
const example = useExample('check-again', {
	replace: async () => ({
		'https://crm.example.com': await startCrm(...crm),
		// Otherwise, n8n wouldn't list a Retry that succeeds.
		'"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"',
	}),
});
const { api, sandbox, mails } = example;
const caseList = useCaseList(api);

/** Runs the workflow as on one morning. */
async function morning(...settings: Parameters<typeof startCrm>) {
	crm = settings;
	return await example.run('Every Morning');
}

async function links() {
	return (await sandbox.requests()).map(({ customData }) => customData);
}

describe('a month before a document expires', () => {
	it('its person gets a new link, once, and the case list has it', async () => {
		await caseList.add({ customData: 'applicant-3', ...EXPIRING, reminded: daysAgo(998) });
		expect(await morning()).toMatchObject({ status: 'success' });

		const [row, ...others] = await caseList.rows();
		expect(others).toEqual([]);
		expect(row).toMatchObject({ customData: 'applicant-3', state: 'link sent', reminded: null });
		expect(row?.url).toContain(row?.reference ?? '-');
		expect(Math.abs(Date.parse(row?.since ?? '') - Date.now())).toBeLessThan(60_000);
		expect(mails()).toEqual([
			['applicant-3@example.com', expect.stringContaining(row?.url ?? '-')],
		]);
		expect(await links()).toEqual(['applicant-3']);

		expect(await morning()).toMatchObject({ status: 'success' });
		expect(mails()).toEqual([]);
		expect(await links()).toEqual(['applicant-3']);
	});

	it('nobody else gets one', async () => {
		await caseList.add({ customData: 'later', ...EXPIRING, documentExpires: daysAgo(-33) });
		await caseList.add({ customData: 'no-date', ...EXPIRING, documentExpires: null });
		for (const state of ['link sent', 'in review', 'rejected', 'no result']) {
			await caseList.add({ customData: state, ...EXPIRING, state });
		}
		expect(await morning()).toMatchObject({ status: 'success' });

		expect(await links()).toEqual([]);
		expect(mails()).toEqual([]);
	});

	it('a person whose mail fails has their link in the list, and the others follow next morning', async () => {
		await caseList.add({ customData: 'unknown', ...EXPIRING, documentExpires: daysAgo(-5) });
		await caseList.add({ customData: 'applicant-4', ...EXPIRING });

		const unknown = ['unknown'];
		const failed = await morning(unknown);
		expect(failed.status).toBe('error');
		expect(await links()).toEqual(['unknown']);
		expect(await caseList.rows()).toEqual([
			expect.objectContaining({ customData: 'unknown', state: 'link sent' }),
			expect.objectContaining({ customData: 'applicant-4', state: 'accepted' }),
		]);

		expect(await morning(unknown)).toMatchObject({ status: 'success' });
		expect(await links()).toEqual(['unknown', 'applicant-4']);
		expect(mails()).toEqual([['applicant-4@example.com', expect.anything()]]);

		unknown.length = 0;
		expect(await api.retryExecution(failed.id)).toMatchObject({ status: 'success' });
		expect(mails()).toEqual([['unknown@example.com', expect.anything()]]);
		expect(await links()).toEqual(['unknown', 'applicant-4']);
	});
});

it('without the service, the e-mail of an invented person can be tried', async () => {
	const execution = await example.run('Try It without the Service');

	expect(execution.status).toBe('success');
	const [invented = {}] = itemsOf(execution, 'An Invented New Link');
	expect(mails()).toEqual([
		['invented-1@example.com', expect.stringContaining(String(invented.url))],
	]);
	await caseList.add({ customData: 'applicant-5', ...EXPIRING });
	const rows = itemsOf(await morning(), 'Write It into the Case List');
	expect(Object.entries(invented)).toEqual(
		Object.keys(invented).map((key) => [key, expect.any(rows[0]?.[key]?.constructor)]),
	);
	expect(mails()).toHaveLength(1);
});
