import type { SentWebhook } from '../../dev/sandbox/client';
import type { Result } from '../../dev/sandbox/interface';
import { useFresh } from '../kit/service/sandbox';
import { SandboxUnderTest, eventually } from './support/sandboxUnderTest';
import { useReceiver } from '../kit/service/receiver';

const client = useFresh(new SandboxUnderTest());
const receiver = useReceiver();
beforeEach(async () => {
	await client.setProfile('sandbox-accept', { webhookUrl: receiver.url });
});

/** The first webhook once it was attempted this often. */
async function sentWebhook(attempts = 1): Promise<SentWebhook> {
	return await eventually(async () => {
		const [webhook] = (await client.state()).webhooks;
		return webhook && webhook.attempts.length >= attempts ? webhook : undefined;
	});
}

function receivedResult(): Result {
	return JSON.parse(receiver.received[0]?.text ?? '') as Result;
}

async function finished(scenario: string, fields: object = {}): Promise<Result> {
	const { url } = await client.link(fields);
	expect((await client.finish(url, scenario)).status).toBe(200);
	await sentWebhook();
	return receivedResult();
}

it('sends a webhook with the decision of the scenario', async () => {
	const [scenario, decision] = ['aml', 'reject'];
	const { reference, url } = await client.link();
	await client.finish(url, scenario);
	const webhook = await sentWebhook();
	const result = receivedResult();
	const { transactionId } = result;
	const identity = { decision, customData: 'customer-1', transactionId };
	expect(result).toMatchObject({ ...identity, hosted: reference, event: 'hosted_conclusive' });
	expect(webhook).toMatchObject({
		...identity,
		reference,
		profile: 'sandbox-accept',
		attempts: [{ url: receiver.url, status: 200, body: '{"received":true}' }],
	});
	expect(receiver.received[0]?.contentType).toMatch(/^application\/json/);
	const { links } = await client.state();
	expect(links[0]).toMatchObject({ reference, scenario, decision, transactionId });
});

it.each([
	[0, {}, 2, true],
	[1, {}, 1, true],
	[2, { referenceFace: '/9j/' }, 2, false],
	[3, { contractSign: 'template-7' }, undefined, false],
])('mode %i reads what it asks for', async (mode, fields, faces, hasDocument) => {
	const { data } = await finished('accept', { mode, ...fields });
	expect(data.face?.length).toBe(faces);
	expect(data.firstName !== undefined).toBe(hasDocument);
	if (mode === 3) expect(Object.keys(data)).toEqual(['signature']);
});

it('can be finished once', async () => {
	const { url } = await client.link();
	expect((await client.finish(url, 'accept')).status).toBe(200);
	const second = await client.finish(url, 'aml');
	expect(second.status).toBe(409);
	expect(await second.text()).toContain('Already finished');
	await sentWebhook();
	expect((await client.state()).webhooks).toHaveLength(1);
});

it('redirects with the reference, keeping the parameters of the redirect URL', async () => {
	const redirectUrl = 'https://customer.example.com/done?step=2';
	await client.setProfile('sandbox-accept', { redirectUrl });
	const { reference, url } = await client.link();
	const response = await client.finish(url, 'accept');
	expect(response.status).toBe(303);
	expect(response.headers.get('location')).toBe(`${redirectUrl}&reference=${reference}`);
});
