import { hostedLink } from '../../../nodes/IdentityVerification/contract';
import { signCustomData } from '../../../nodes/IdentityVerification/signedCustomData';
import { itemsOf } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/fixtures';
import { openStack } from '../../kit/n8n/handle';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useService } from '../../kit/n8n/service';
import { readExample } from '../../kit/examples/example';
import { useReceiver } from '../../kit/receiver';

const SECRET = 'secret-of-the-relay';
const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';

const { api } = openStack();
const service = useService(api, SECRET);
const { sandbox } = service;
const elsewhere = useReceiver();

let workflow: LiveWorkflow;
let relay: LiveWorkflow;

beforeAll(async () => {
	const settings = { credentials: { identityVerificationApi: service.credentialId } };
	const start = async (name: string) =>
		await LiveWorkflow.start(api, await readExample(`wait-with-a-relay/${name}.json`, settings));
	workflow = await start('workflow');
	relay = await start('relay');
});

beforeEach(async () => {
	await sandbox.setProfile(PROFILE, { webhookUrl: relay.url(TRIGGER) });
});

async function statuses(): Promise<string[]> {
	return (await workflow.list()).map(({ status }) => status);
}

/** Starts the flow, and returns the link when it waits. */
async function wanted(applicantId: string): Promise<string> {
	const before = (await statuses()).length;
	const { body } = await workflow.send('Verification Wanted', { applicantId });
	const { url } = hostedLink.parse({ qrCode: null, ...(JSON.parse(body) as object) });
	const isWaiting = async () => {
		const [newest, ...others] = await statuses();
		return newest === 'waiting' && others.length === before ? true : undefined;
	};
	await poll(isWaiting, { what: 'the execution to wait', timeoutMs: 60_000 });
	return url;
}

it('goes on with the result of an accept', async () => {
	const webhook = await sandbox.finishLink(await wanted('applicant-1'), 'accept');

	const execution = await workflow.newExecution();
	expect(itemsOf(execution, 'Open the Account')).toEqual([
		{ applicantId: 'applicant-1', decision: 'accept', transactionId: webhook.transactionId },
	]);
	expect(Object.keys(execution.data)).not.toContain('Ask the Team');
	expect(await relay.newExecution()).toMatchObject({ status: 'success' });

	await sandbox.resend(webhook);
	expect(await relay.newExecution()).toMatchObject({ status: 'error' });
	expect(await workflow.newExecutions()).toEqual([]);
});

it('takes the other way with the result of a reject', async () => {
	await sandbox.finishLink(await wanted('applicant-2'), 'aml');

	const execution = await workflow.newExecution();
	expect(itemsOf(execution, 'Ask the Team')).toEqual([
		{ applicantId: 'applicant-2', decision: 'reject', warnings: 'AML_SANCTION' },
	]);
	expect(Object.keys(execution.data)).not.toContain('Open the Account');
	await relay.newExecution();
});

it('keeps two that wait apart', async () => {
	const first = await wanted('applicant-3');
	const second = await wanted('applicant-4');
	await sandbox.finishLink(second, 'accept');
	await sandbox.finishLink(first, 'expired');

	const executions = await workflow.newExecutions();
	expect(executions.map((execution) => itemsOf(execution, 'Ask the Team')).flat()).toEqual([
		expect.objectContaining({ applicantId: 'applicant-3', decision: 'reject' }),
	]);
	expect(executions.map((execution) => itemsOf(execution, 'Open the Account')).flat()).toEqual([
		expect.objectContaining({ applicantId: 'applicant-4', decision: 'accept' }),
	]);
	await relay.newExecutions(2);
});

describe('the relay', () => {
	it('does not take a forged result to the workflow that waits', async () => {
		await wanted('applicant-5');
		const [link] = (await sandbox.requests()).slice(-1);
		const [address = ''] = String(link?.customData).split('.v1.');
		for (const customData of [address, `${address}.v1.${'A'.repeat(43)}`]) {
			const body = fixture('webhook-accept', { profileId: PROFILE, customData });
			expect((await relay.send(TRIGGER, body)).status).toBe(401);
		}

		expect(await relay.newExecutions()).toEqual([]);
		expect((await statuses())[0]).toBe('waiting');
	});

	it.each([
		['another origin', () => `${elsewhere.url}/webhook-waiting/1`],
		['another place on this n8n', () => `${api.url}/rest/workflows`],
		['a way out of the place', () => `${api.url}/webhook-waiting/../rest/workflows`],
		['an origin that only begins alike', () => `${api.url}.example.com/webhook-waiting/1`],
		['no address', () => 'applicant-6'],
	])('sends nothing to %s', async (_, customData) => {
		const body = fixture('webhook-accept', {
			profileId: PROFILE,
			customData: signCustomData(SECRET, PROFILE, customData()),
		});
		expect((await relay.send(TRIGGER, body)).status).toBe(200);

		const execution = await relay.newExecution();
		expect(execution.status).toBe('success');
		expect(Object.keys(execution.data).sort()).toEqual(['Address on This n8n?', TRIGGER]);
		expect(elsewhere.take()).toEqual([]);
	});
});
