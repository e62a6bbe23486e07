import { openStack } from '../../kit/n8n/handle';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useService } from '../../kit/n8n/service';
import { readExample } from '../../kit/examples/example';
import { useReceiver } from '../../kit/receiver';

const SECRET = 'secret-of-the-route';
const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';
const SLACK = 'POST /slack/services/your/incoming/webhook';

const { api } = openStack();
const service = useService(api, SECRET);
const { sandbox } = service;
const outside = useReceiver();

let workflow: LiveWorkflow;

beforeAll(async () => {
	const replace = {
		'https://crm.example.com': `${outside.url}/crm`,
		'https://hooks.slack.com': `${outside.url}/slack`,
	};
	const credentials = { identityVerificationApi: service.credentialId };
	const file = await readExample('route-decisions/workflow.json', { credentials, replace });
	workflow = await LiveWorkflow.start(api, file);
});

beforeEach(async () => {
	await sandbox.setProfile(PROFILE, { webhookUrl: `${workflow.url(TRIGGER)}?secret=${SECRET}` });
});

async function verify(customData: string, scenario: string) {
	return await sandbox.verify({ profile: PROFILE, customData }, scenario);
}

it('an accept updates the CRM', async () => {
	const { transactionId } = await verify('applicant 1/2', 'accept');
	expect(await workflow.newExecution()).toMatchObject({ status: 'success' });

	expect(outside.take()).toEqual([
		{
			request: 'PUT /crm/api/applicants/applicant%201%2F2',
			body: { verification: 'accept', transactionId, warningCodes: [] },
		},
	]);
});

it('a review posts its warning codes to Slack', async () => {
	const { transactionId } = await verify('applicant-2', 'lowConfidence');
	expect(await workflow.newExecution()).toMatchObject({ status: 'success' });

	const [{ request, body } = { request: '', body: {} }, ...others] = outside.take();
	expect(others).toEqual([]);
	expect(request).toBe(SLACK);
	expect(body).toEqual({
		text: expect.stringMatching(
			`Verification of applicant-2: \\*review\\*\nWarnings: LOW_TEXT_CONFIDENCE.*\nTransaction: ${transactionId}`,
		),
	});
});

it('a reject goes to both', async () => {
	await verify('applicant-3', 'aml');
	expect(await workflow.newExecution()).toMatchObject({ status: 'success' });

	expect(outside.take().sort((a, b) => a.request.localeCompare(b.request))).toEqual([
		{
			request: SLACK,
			body: { text: expect.stringContaining('*reject*\nWarnings: AML_SANCTION\n') },
		},
		{
			request: 'PUT /crm/api/applicants/applicant-3',
			body: expect.objectContaining({ verification: 'reject', warningCodes: ['AML_SANCTION'] }),
		},
	]);
});

it('a result without Custom Data is named by the reference of its link', async () => {
	const { reference } = await verify('', 'accept');
	await workflow.newExecution();
	const review = await verify('', 'lowConfidence');
	await workflow.newExecution();

	expect(outside.take()).toEqual([
		{ request: `PUT /crm/api/applicants/${reference}`, body: expect.any(Object) },
		{
			request: SLACK,
			body: { text: expect.stringContaining(`Verification of ${review.reference}: *review*`) },
		},
	]);
});

it('a result that the CRM refused for good gets there by Retry in the executions', async () => {
	for (let tries = 0; tries < 3; tries++) outside.failOnce(503);
	await verify('applicant-6', 'accept');
	const { id, status } = await workflow.newExecution();
	expect(status).toBe('error');
	expect(outside.take()).toHaveLength(3);

	expect(await api.retryExecution(id)).toMatchObject({ status: 'success' });

	expect(outside.take()).toHaveLength(1);
	await workflow.newExecution();
});
