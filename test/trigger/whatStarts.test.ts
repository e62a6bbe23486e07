import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { callTrigger, IGNORED, RECEIVED, REFUSED } from '../kit/engine/callTrigger';
import type { TriggerCall } from '../kit/engine/callTrigger';

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

	const EVENT = {
		event: 'update',
		decision: 'accept',
		success: true,
		transactionId: 'transaction-1',
		profileId: 'kyc-a',
		hosted: 'link-1',
		customData: 'customer-1',
		data: { fullName: [{ value: 'Ivo Varkov' }] },
		warning: [],
	};
	const ITEM = {
		event: 'update',
		decision: null,
		customData: 'customer-1',
		reference: 'link-1',
		transactionId: 'transaction-1',
		details: { profileId: 'kyc-a' },
		unrecognizedDecision: true,
	};
	const withOtherEvents = async (changes: object, { parameters, ...call }: TriggerCall = {}) =>
		await callTrigger({
			body: { ...EVENT, ...changes },
			...call,
			parameters: { ...parameters, options: { otherEvents: true, profiles: 'kyc-a' } },
		});

	describe('with Other Events', () => {
		it.each<[string, INodeParameters]>([
			['Simplified', { output: 'simplified' }],
			['Decision Only', { output: 'decisionOnly' }],
			['Decision and Fields', { output: 'decisionAndFields', documentFields: ['fields.fullName'] }],
		])('starts it at Review, as %s without a decision or what it says', async (_, parameters) => {
			const answer = await withOtherEvents({}, { parameters });

			expect(answer).toEqual({ status: 200, body: RECEIVED, started: [[ITEM], [], []] });
		});

		it('starts it at Review as Raw, marked', async () => {
			const { started } = await withOtherEvents({}, { parameters: { output: 'raw' } });

			expect(started).toEqual([[{ ...EVENT, unrecognizedDecision: true }], [], []]);
		});

		it.each(['reject', 'accept', 'review', undefined])(
			'starts it at Review with the decision %s, and whatever else it is',
			async (decision) => {
				for (const event of ['HOSTED_CONCLUSIVE', 'hosted_conclusive ', '']) {
					for (const output of ['simplified', 'raw']) {
						const changes = { event, decision, hosted: undefined, transactionId: [] };
						const { started } = await withOtherEvents(changes, { parameters: { output } });

						const marked = expect.objectContaining({ event, unrecognizedDecision: true });
						expect(started).toEqual([[marked], [], []]);
					}
				}
			},
		);

		it('leaves results and their outputs as they are', async () => {
			const { started } = await withOtherEvents({ event: 'hosted_conclusive' });

			expect(started).toMatchObject([[], [{ decision: 'accept' }], []]);
		});

		it('names what of its IDs cannot be read', async () => {
			const { started } = await withOtherEvents({ transactionId: 2 ** 60 });

			expect(started?.[0]).toMatchObject([{ transactionId: null, unreadable: ['transactionId'] }]);
		});

		it('starts nothing for another profile, nor for one that cannot be read', async () => {
			expect(await withOtherEvents({ profileId: 'kyc-b' })).toEqual(IGNORED);
			expect(await withOtherEvents({ profileId: {} })).toMatchObject({
				status: 400,
				started: undefined,
			});
		});

		it('starts nothing without the secret', async () => {
			expect(await withOtherEvents({}, { query: {} })).toEqual(REFUSED);
			expect(await withOtherEvents({}, { query: { secret: 'x'.repeat(40) } })).toEqual(REFUSED);
		});
	});
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
