import { usePublished } from './support/useExample';

const example = usePublished('route-decisions');
const { outside, takeSucceeded, verify } = example;

it.each([
	['accept', undefined, []],
	[
		'lowConfidence',
		'LOW_TEXT_CONFIDENCE (led to review), MISSING_EYE_COLOR (also found)',
		undefined,
	],
	['aml', 'AML_SANCTION (led to reject)', ['AML_SANCTION']],
])('tells Slack and the CRM what belongs there: %s', async (scenario, warning, warningCodes) => {
	for (const customData of ['applicant 1/2', '']) {
		const { decision, reference, transactionId } = await verify(customData, scenario);
		await takeSucceeded();

		const id = customData || reference;
		const text = `Verification: *${decision}*\nWarnings: ${warning}\nTransaction: \`${transactionId}\`\nCustom Data: \`${id}\``;
		const message = { request: 'POST /slack/services/your/incoming/webhook', body: { text } };
		const change = {
			request: `PUT /crm/api/applicants?id=${encodeURIComponent(id)}`,
			body: { verification: decision, transactionId, warningCodes, unreadable: [] },
		};
		const expected = [...(warning ? [message] : []), ...(warningCodes ? [change] : [])];
		const posts = outside.takePosts().sort((a, b) => a.request.localeCompare(b.request));
		expect(posts).toEqual(expected);
	}
});

it('gets a result that the CRM refused for good there by Retry in the executions', async () => {
	outside.answers.set('PUT /crm/api/applicants?id=applicant-6', { status: 503, body: {} });
	await verify('applicant-6', 'accept');
	const { id, status } = await example.workflow.takeExecution();
	expect(status).toBe('error');
	expect(outside.takePosts()).toHaveLength(3);

	outside.answers.clear();
	expect(await example.api.retryExecution(id)).toMatchObject({ status: 'success' });

	expect(outside.takePosts()).toHaveLength(1);
	await example.workflow.takeExecution();
});
