import { useReceiver } from '../../kit/receiver';
import { useExample } from '../../kit/examples/useExample';

const SLACK = 'POST /slack/services/your/incoming/webhook';

const outside = useReceiver();
const example = useExample('route-decisions', {
	replace: () => ({
		'https://crm.example.com': `${outside.url}/crm`,
		'https://hooks.slack.com': `${outside.url}/slack`,
	}),
});
const { api, verify } = example;

beforeAll(async () => await example.start());
beforeEach(async () => await example.listen());

it('an accept updates the CRM', async () => {
	const { transactionId } = await verify('applicant 1/2', 'accept');
	expect(await example.workflow.newExecution()).toMatchObject({ status: 'success' });

	expect(outside.take()).toEqual([
		{
			request: 'PUT /crm/api/applicants/applicant%201%2F2',
			body: { verification: 'accept', transactionId, warningCodes: [] },
		},
	]);
});

it('a review posts its warning codes to Slack', async () => {
	const { transactionId } = await verify('applicant-2', 'lowConfidence');
	expect(await example.workflow.newExecution()).toMatchObject({ status: 'success' });

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
	expect(await example.workflow.newExecution()).toMatchObject({ status: 'success' });

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
	await example.workflow.newExecution();
	const review = await verify('', 'lowConfidence');
	await example.workflow.newExecution();

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
	const { id, status } = await example.workflow.newExecution();
	expect(status).toBe('error');
	expect(outside.take()).toHaveLength(3);

	expect(await api.retryExecution(id)).toMatchObject({ status: 'success' });

	expect(outside.take()).toHaveLength(1);
	await example.workflow.newExecution();
});
