import type { IDataObject } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { callTrigger, IGNORED, RECEIVED } from '../kit/engine/callTrigger';

describe('a result starts the workflow', () => {
	it.each([
		['accept', [[], [expect.anything()], []]],
		['review', [[expect.anything()], [], []]],
		['reject', [[], [], [expect.anything()]]],
	])('at the output of its decision %s and only there', async (decision, started) => {
		const answer = await callTrigger({ body: fixture('webhook-accept', { decision }) });

		expect(answer).toEqual({ status: 200, body: RECEIVED, started });
		expect(answer.started?.flat()).toEqual([expect.objectContaining({ decision })]);
		expect(answer.started?.flat()[0]).not.toHaveProperty('unrecognizedDecision');
	});

	it.each(['Accept', 'approved', '', ' reject', null, true, 1, ['accept'], { accept: true }])(
		'at Review, marked, with the decision %j',
		async (decision) => {
			const answer = await callTrigger({ body: fixture('webhook-accept', { decision }) });

			expect(answer).toMatchObject({
				status: 200,
				started: [[{ unrecognizedDecision: true, customData: 'customer-20417' }], [], []],
			});
		},
	);

	it('at Review, marked, without a decision', async () => {
		const body = fixture('webhook-accept');
		delete body.decision;

		const { started } = await callTrigger({ body });

		expect(started).toMatchObject([[{ unrecognizedDecision: true, decision: null }], [], []]);
	});

	it('with as little as an event', async () => {
		const answer = await callTrigger({ body: { event: 'hosted_conclusive', decision: 'reject' } });

		expect(answer).toMatchObject({ status: 200, started: [[], [], [{ decision: 'reject' }]] });
	});

	it('again when the portal resends it', async () => {
		const first = await callTrigger();

		expect(await callTrigger()).toEqual(first);
	});
});

describe('another event', () => {
	it.each(['hosted_started', 'HOSTED_CONCLUSIVE', 'hosted_conclusive ', ''])(
		'%j is received and starts nothing',
		async (event) => {
			expect(await callTrigger({ body: fixture('webhook-accept', { event }) })).toEqual(IGNORED);
		},
	);
});

describe('the profile filter', () => {
	const filtered = async (profiles: string, changes: IDataObject) =>
		await callTrigger({
			body: fixture('webhook-accept', changes),
			parameters: { options: { profiles } },
		});

	it.each(['kyc-a', 'kyc-b,kyc-a', ' kyc-b , kyc-a ', 'kyc-b\nkyc-a'])(
		'%j lets kyc-a start the workflow',
		async (profiles) => {
			const { started } = await filtered(profiles, { profileId: 'kyc-a' });

			expect(started?.[1]).toHaveLength(1);
		},
	);

	it.each(['KYC standard', ' KYC standard '])('takes an ID with a space: %j', async (profileId) => {
		const { started } = await filtered('kyc-b, KYC standard', { profileId });

		expect(started?.[1]).toHaveLength(1);
	});

	it.each(['kyc-b', 'kyc-ab', 'KYC-A', 'kyc', '-'])('%j ignores kyc-a', async (profiles) => {
		expect(await filtered(profiles, { profileId: 'kyc-a' })).toEqual(IGNORED);
	});

	it.each([undefined, null, '', ' ', '\t'].map((profileId) => ({ profileId })))(
		'lets a result without a profile ID start the workflow: %j',
		async (changes) => {
			const { status, started } = await filtered('kyc-a', { ...changes, decision: 'reject' });

			expect(status).toBe(200);
			expect(started).toMatchObject([[], [], [{ decision: 'reject' }]]);
		},
	);

	it.each([{ toString: 1 }, ['kyc-a'], true, 'kyc-\ufffd'])(
		'refuses a result whose profile ID cannot be read, as it can be its own: %j',
		async (profileId) => {
			const { status, started } = await filtered('kyc-a', { profileId });

			expect({ status, started }).toEqual({ status: 400, started: undefined });
		},
	);

	it.each(['', ' ', ','])('%j takes every profile', async (profiles) => {
		const { started } = await filtered(profiles, { profileId: 'any' });

		expect(started?.[1]).toHaveLength(1);
	});
});
