import { itemsOf } from '../../../dev/stack/execution';
import { daysAgo, useCaseList } from '../../kit/examples/caseList';
import { startCrm } from '../../kit/examples/crm';
import { readExample } from '../../kit/examples/example';
import { useMailbox } from '../../kit/examples/mailbox';
import { runInEditor } from '../../kit/examples/run';
import { openStack } from '../../kit/n8n/handle';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useService } from '../../kit/n8n/service';

const SECRET = 'secret-of-the-check';
const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';
const DAY_MS = 24 * 60 * 60 * 1000;
/** Accepted long ago, with a document that expires within a month. */
const EXPIRING = { state: 'accepted', since: daysAgo(1000), documentExpires: daysAgo(-27) };

const { api } = openStack();
const service = useService(api, SECRET);
const { sandbox } = service;
const mailbox = useMailbox(api);
const caseList = useCaseList(api);

beforeEach(() => void mailbox.take());

async function example(...crm: Parameters<typeof startCrm>) {
	const credentials = {
		identityVerificationApi: service.credentialId,
		smtp: mailbox.credentialId,
	};
	const replace = {
		'https://crm.example.com': await startCrm(...crm),
		// Otherwise, n8n wouldn't list a Retry that succeeds.
		'"saveDataSuccessExecution": "none"': '"saveDataSuccessExecution": "all"',
	};
	return await readExample('check-again/workflow.json', { credentials, replace });
}

/** Runs the workflow as on one morning. */
async function morning(...crm: Parameters<typeof startCrm>) {
	const file = await example(...crm);
	await api.saveWorkflow(file);
	return await runInEditor(api, file, 'Every Morning');
}

/** The mails since the last call: to whom, and their text. */
function mails() {
	return mailbox.take().map(({ to, text }) => [to && 'text' in to && to.text, text]);
}

async function links() {
	return (await sandbox.requests()).map(({ customData }) => customData);
}

describe('the date on which a document expires', () => {
	/** The case list, with the output that this example asks for. */
	async function startCaseList(): Promise<LiveWorkflow> {
		const file = await readExample('case-list/workflow.json', {
			credentials: { identityVerificationApi: service.credentialId },
			replace: { '"output": "decisionOnly"': '"output": "simplified"' },
		});
		const workflow = await LiveWorkflow.start(api, file);
		await workflow.newExecutions();
		const webhookUrl = `${workflow.url(TRIGGER)}?secret=${SECRET}`;
		await sandbox.setProfile(PROFILE, { webhookUrl });
		return workflow;
	}

	it('comes into the case list with an accept', async () => {
		const workflow = await startCaseList();
		await sandbox.verify({ profile: PROFILE, customData: 'applicant-1' }, 'accept');
		const [item] = itemsOf(await workflow.newExecution(), TRIGGER);

		const { daysToExpiry } = item?.fields as { daysToExpiry: number };
		const [{ state, documentExpires } = { state: '', documentExpires: '' }] = await caseList.rows();
		expect(state).toBe('accepted');
		const days = (Date.parse(documentExpires ?? '') - Date.now()) / DAY_MS;
		// It's the beginning of a day in n8n's time zone, which may change to summer time until then.
		expect(Math.abs(days - daysToExpiry)).toBeLessThan(25 / 24);
	});

	it.each([
		['the service could not read it', {}],
		['it is within a month', { daysToExpiry: [{ value: '20' }] }],
	])('stays empty when %s', async (_, data) => {
		const workflow = await startCaseList();
		await workflow.send(
			TRIGGER,
			{ event: 'hosted_conclusive', decision: 'accept', customData: 'applicant-2', data },
			{ query: `?secret=${SECRET}` },
		);
		await workflow.newExecution();

		expect(await caseList.rows()).toEqual([
			expect.objectContaining({ state: 'accepted', documentExpires: null }),
		]);
	});
});

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
	const file = await example();
	await api.saveWorkflow(file);

	const execution = await runInEditor(api, file, 'Try It without the Service');

	expect(execution.status).toBe('success');
	const [invented = {}] = itemsOf(execution, 'An Invented New Link');
	expect(mails()).toEqual([
		['invented-1@example.com', expect.stringContaining(String(invented.url))],
	]);
	await caseList.add({ customData: 'applicant-5', ...EXPIRING });
	const rows = itemsOf(
		await runInEditor(api, file, 'Every Morning'),
		'Write It into the Case List',
	);
	expect(Object.entries(invented)).toEqual(
		Object.keys(invented).map((key) => [key, expect.any(rows[0]?.[key]?.constructor)]),
	);
	expect(mails()).toHaveLength(1);
});
