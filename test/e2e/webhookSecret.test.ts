import { randomUUID } from 'node:crypto';

import { itemsOf } from '../../dev/stack/execution';
import { DECISIONS } from '../../nodes/IdentityVerification/contract/vocabulary';
import { fixture } from '../kit/fixtures';
import { NOT_AUTHENTICATED } from '../kit/refusals';
import { openStack } from '../kit/n8n/handle';
import type { SentWebhook } from '../../dev/sandbox/client';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useService } from '../kit/n8n/service';
import { Traces } from '../kit/n8n/traces';
import { copyNode, triggerNode, workflowOf } from '../kit/n8n/workflow';

const SECRET = `only-for-this-run-${randomUUID()}`;
const PROFILE = 'sandbox-onboarding';
const SECURED = 'Secured';
/** Gets what the trigger returns. */
const NEXT = 'Next';
const UNSECURED = 'Without a Secret';
const REFUSED = { status: 401, body: JSON.stringify({ error: NOT_AUTHENTICATED }) };

const stack = openStack();
const { api, folder } = stack;
const service = useService(stack, SECRET);
const { sandbox } = service;

let workflow: LiveWorkflow;

beforeAll(async () => {
	const parameters = { authentication: 'webhookSecret', output: 'raw' };
	const unsecured = `Credential ${randomUUID()}`;
	const withoutSecret = await service.saveCredential({ webhookSecret: SECRET }, unsecured);
	workflow = await LiveWorkflow.start(
		api,
		workflowOf(
			[
				triggerNode(SECURED, { credentialId: service.credentialId, parameters }),
				triggerNode(UNSECURED, { credentialId: withoutSecret, parameters }),
				copyNode(NEXT),
			],
			DECISIONS.map((_, output) => [SECURED, NEXT, output]),
		),
	);
	// A trigger without a secret isn't published: it can only lose it later.
	await service.saveCredential({ webhookSecret: '' }, unsecured);
});

/** Lets a link be finished whose profile has the secret in its webhook URL. */
async function verify(customData: string): Promise<SentWebhook> {
	await sandbox.setProfile(PROFILE, { webhookUrl: `${workflow.url(SECURED)}?secret=${SECRET}` });
	return await sandbox.verify({ profile: PROFILE, customData }, 'aml');
}

describe('a webhook with the secret starts the workflow', () => {
	it('that a profile has in the query of its webhook URL', async () => {
		expect(await verify('applicant-query')).toMatchObject({ attempts: [{ status: 200 }] });

		expect(itemsOf(await workflow.newExecution(), NEXT)).toEqual([
			expect.objectContaining({ customData: 'applicant-query', decision: 'reject' }),
		]);
	});

	it.each(['X-Webhook-Secret', 'x-webhook-secret'])('in the header %s', async (name) => {
		const body = fixture('webhook-accept');
		const answer = await workflow.send(SECURED, body, { headers: { [name]: SECRET } });

		expect(answer).toEqual({ status: 200, body: '{"received":true}' });
		expect(itemsOf(await workflow.newExecution(), NEXT)).toEqual([body]);
	});
});

describe('a webhook is refused and starts nothing', () => {
	afterEach(async () => expect(await workflow.newExecutions()).toEqual([]));

	it.each([
		'',
		'?secret=',
		`?secret=${SECRET}x`,
		`?secret=wrong&secret=${SECRET}`,
		`?secret[]=${SECRET}`,
		`?other=${SECRET}`,
	])('with the query %j', async (query) => {
		const answer = await workflow.send(SECURED, fixture('webhook-accept'), { query });

		expect(answer).toEqual(REFUSED);
	});

	it.each<Record<string, string>>([
		{ 'x-webhook-secret': `${SECRET}, ${SECRET}` },
		{ authorization: `Bearer ${SECRET}` },
	])('with the headers %j', async (headers) => {
		const body = fixture('webhook-accept', { secret: SECRET });
		const answer = await workflow.send(SECURED, body, { headers });

		expect(answer).toEqual(REFUSED);
	});

	it.each([
		{},
		{ query: '?secret=undefined' },
		{ headers: { 'x-webhook-secret': '' } },
		{ query: `?secret=${SECRET}` },
	])('when the credential has no secret: %j', async (sent) => {
		expect(await workflow.send(UNSECURED, fixture('webhook-accept'), sent)).toEqual(REFUSED);
	});
});

describe('a trigger is kept from being published', () => {
	it.each([
		['webhookSecret', '', "Enter a 'Webhook Secret' in the credential"],
		['signedCustomData', SECRET, 'to Webhook Secret: the one that it has does not exist'],
	])('with %s and the secret "%s"', async (authentication, webhookSecret, message) => {
		const credentialId = await service.saveCredential({ webhookSecret });
		const parameters = { authentication };
		const start = LiveWorkflow.start(
			api,
			workflowOf([triggerNode(SECURED, { credentialId, parameters })]),
		);

		await expect(start).rejects.toThrow(message);
	});
});

describe('the secret', () => {
	it('is found nowhere in what n8n keeps or prints', async () => {
		const customData = `applicant-${randomUUID()}`;
		expect(await verify(customData)).toMatchObject({ attempts: [{ status: 200 }] });
		await workflow.newExecution();

		const traces = await Traces.in(folder);

		expect(traces.find([customData])).toContain(`${customData} in rows of the database`);
		expect(traces.find([SECRET])).toEqual([]);
	});
});
