import { addAddress } from '../../nodes/IdentityVerification/waiting/address';
import { fixture } from '../kit/fixtures';
import { SECRET, callTrigger } from '../kit/trigger/callTrigger';
import type { TriggerCall } from '../kit/trigger/callTrigger';

// What is handed over needs a whole n8n: test/e2e/waitForResult*. Here is what must not be.

const PROFILE = 'kyc-onboarding';
const EXECUTION = { executionId: '7', resumeToken: 'f'.repeat(64) };

/** A result of a link that an execution waits for; its Custom Data holds the address of that execution. */
async function receive(
	{ secret = SECRET, profile = PROFILE, value = 'customer-1' },
	call: TriggerCall = {},
) {
	const customData = addAddress(secret, profile, 'customer-1', EXECUTION).replace(
		/^customer-1/,
		value,
	);
	const body = fixture('webhook-accept', { profileId: PROFILE, customData });
	return await callTrigger({ body, ...call });
}

describe('a result that an execution waits for goes to the trigger, and says why,', () => {
	it('when nothing proves its decision', async () => {
		const { started } = await receive({}, { parameters: { authentication: 'none' }, query: {} });

		expect(started).toMatchObject([
			[],
			[
				{
					decision: 'accept',
					customData: 'customer-1',
					notDelivered: expect.stringMatching(
						/^Only Webhook Secret authentication proves a decision/,
					),
				},
			],
			[],
		]);
	});

	it.each([
		['another webhook secret made its link', { secret: 'another secret of the tests' }],
		['its link was created for another profile', { profile: 'kyc-other' }],
		['somebody has changed its Custom Data', { value: 'customer-2' }],
	])('when %s', async (_, change) => {
		const { started } = await receive(change);

		expect(started?.[1]).toMatchObject([
			{
				notDelivered: 'Its link was created for another profile, or with another webhook secret.',
			},
		]);
	});

	it('also when the trigger lists other profiles', async () => {
		const parameters = { options: { profiles: 'kyc-other' } };
		const { started } = await receive({ secret: 'another secret of the tests' }, { parameters });

		expect(started?.flat()).toHaveLength(1);
	});
});

it('shows the address of an execution to nobody', async () => {
	const answer = await receive({ secret: 'another secret of the tests' });

	expect(JSON.stringify(answer)).not.toContain('.w1.');
});
