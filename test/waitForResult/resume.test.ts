import type { IDataObject } from 'n8n-workflow';

import { IdentityVerificationApi } from '../../credentials/IdentityVerificationApi.credentials';
import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import type { ParsedBody } from '../../nodes/IdentityVerification/contract/read';
import { deliver } from '../../nodes/IdentityVerification/delivery/deliver';
import { callWebhook, jsonByOutput } from '../kit/engine';
import { useLogs } from '../kit/engine/logs';
import { fixture } from '../kit/data/fixtures';
import { listen } from '../kit/service/httpServer';
import { WEBHOOK_SECRET } from '../kit/settings';

// What the trigger hands over, and what Wait for Result takes of it. The rest needs a whole n8n:
// test/e2e/waitForResult/.

const logs = useLogs();

const REFERENCE = 'link-17';

const result = (changes: object = {}): IDataObject =>
	fixture('webhook-accept', { hosted: REFERENCE, ...changes });

/** What the trigger posts to the execution for a result: its headers, and the bytes of its body. */
async function delivered(json: unknown, secret = WEBHOOK_SECRET, isRepaired: unknown = false) {
	const headers: Record<string, string> = {};
	const chunks: Buffer[] = [];
	const { url: origin } = await listen((request, response) => {
		const signature = request.headers['x-identity-verification-signature'];
		if (signature) headers['x-identity-verification-signature'] = String(signature);
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => response.end(JSON.stringify({ received: true })));
	});
	await deliver(
		`${origin}/webhook-waiting`,
		{ executionId: '7', resumeToken: 'token' },
		{ json, isRepaired } as ParsedBody,
		secret,
	);
	return { headers, body: Buffer.concat(chunks) };
}

interface Changes {
	webhookSecret?: string;
	output?: string;
	documentFields?: string[];
	/** Of reading the credential. */
	failure?: Error;
}

/** Posts something to an execution that waits for the result of a link. */
async function resume(
	request: { headers?: Record<string, string | undefined>; body?: unknown },
	{ webhookSecret = WEBHOOK_SECRET, output = 'simplified', documentFields, failure }: Changes = {},
) {
	const { sent, workflowData } = await callWebhook({
		node: IdentityVerification,
		parameters: { operation: 'waitForResult', output, ...(documentFields && { documentFields }) },
		credential: {
			type: new IdentityVerificationApi(),
			values: { apiKey: 'key', baseUrl: 'https://api.example.com', webhookSecret },
			failure,
		},
		waitingItem: { decision: null, customData: 'customer-1', reference: REFERENCE },
		request,
	});
	return {
		status: sent.ended ? sent.status : 200,
		answer: sent.body,
		started: workflowData && jsonByOutput(workflowData),
		pairedItems: workflowData?.flat().map((item) => item?.pairedItem),
	};
}

const NOT_TAKEN = {
	status: 401,
	answer: expect.stringContaining('Only the trigger can deliver a result to this execution.'),
	started: undefined,
};

it('an execution goes on waiting while its credential cannot be read, and the result is sent again', async () => {
	const request = await delivered(result());

	const { status, started } = await resume(request, { failure: new Error('Away') });

	expect([status, started]).toEqual([503, undefined]);
	expect(logs.text()).toMatch(/refused a webhook with status 503 \(The credential could not be/);
});

describe('the result of the link', () => {
	it.each([
		['review', 1],
		['accept', 2],
		['reject', 3],
	])('with the decision %s resumes the execution at output %d alone', async (decision, output) => {
		const { status, started, pairedItems } = await resume(await delivered(result({ decision })));

		expect(status).toBe(200);
		expect(pairedItems).toEqual([{ item: 0 }]);
		expect(started?.map((items) => items.length)).toEqual(
			[0, 1, 2, 3].map((index) => (index === output ? 1 : 0)),
		);
		expect(started?.[output]).toMatchObject([{ decision, reference: REFERENCE }]);
	});

	it('is read from the bytes that were signed, whatever the request says of them', async () => {
		const data = { fullName: [{ value: 'Zoë' }] };
		const { headers, body } = await delivered(result({ data }));
		const type = { 'Content-Type': 'application/json; charset=latin1' };

		const { started } = await resume({ headers: { ...headers, ...type }, body });

		expect(started?.[2]).toMatchObject([{ fields: { fullName: 'Zoë' } }]);
	});

	it('with an accept that is not trusted resumes it at Review, marked', async () => {
		const { started } = await resume(await delivered(result({ success: false })));

		expect(started).toMatchObject([[], [{ unrecognizedDecision: true }], [], []]);
	});

	it.each(['accept', 'reject'])(
		'with an %s of a body that was repaired resumes it at Review',
		async (decision) => {
			const request = await delivered(result({ decision }), WEBHOOK_SECRET, true);

			const { started } = await resume(request);

			const item = { unrecognizedDecision: true, unreadable: ['*'] };
			expect(started).toMatchObject([[], [item], [], []]);
		},
	);

	it.each([undefined, null, 0])(
		'does not reach Accept if nobody says whether it was JSON: %j',
		async (isRepaired) => {
			const request = await delivered(result(), WEBHOOK_SECRET, isRepaired ?? null);

			const { started } = await resume(request);

			expect(started?.[2]).toEqual([]);
		},
	);

	it('has only what was chosen with Decision and Fields', async () => {
		const data = { fullName: [{ value: 'Ivo Varkov' }], age: [{ value: '19' }] };
		const chosen = { output: 'decisionAndFields', documentFields: ['fields.age'] };

		const { started } = await resume(await delivered(result({ data })), chosen);

		expect(started?.[2]).toMatchObject([{ decision: 'accept', fields: { age: 19 } }]);
		expect(JSON.stringify(started)).not.toContain('Varkov');
	});

	it.each([{ output: 'everything' }, { output: 'decisionAndFields', documentFields: ['age'] }])(
		'holds no personal data if the workflow has been changed to what does not exist: %j',
		async (changes) => {
			const data = { fullName: [{ value: 'Ivo Varkov' }] };

			const { started } = await resume(await delivered(result({ data })), changes);

			expect(started?.[2]).toMatchObject([{ decision: 'accept' }]);
			expect(JSON.stringify(started)).not.toContain('Varkov');
		},
	);

	it('holds no personal data with Decision Only', async () => {
		const warning = { code: 'FAKE_ID', severity: 'low', confidence: 0.2, decision: 'accept' };
		const body = result({ warning: [{ ...warning, description: 'Ivo Varkov' }] });

		const { started } = await resume(await delivered(body), { output: 'decisionOnly' });

		expect(started?.[2]).toMatchObject([{ decision: 'accept', warnings: [warning] }]);
		expect(started?.[2]?.[0]).not.toHaveProperty('fields');
		expect(JSON.stringify(started)).not.toContain('Varkov');
	});
});

describe('the execution goes on waiting after', () => {
	it('a result without a signature', async () => {
		const { body } = await delivered(result());

		expect(await resume({ body })).toMatchObject(NOT_TAKEN);
	});

	it.each([
		['an empty one', ''],
		['a wrong one', 'x'.repeat(43)],
		['a shorter one', 'x'],
	])('a result whose signature is %s', async (_, signature) => {
		const { body } = await delivered(result());
		const headers = { 'x-identity-verification-signature': signature };

		expect(await resume({ body, headers })).toMatchObject(NOT_TAKEN);
	});

	it('a result that was changed on its way', async () => {
		const { headers } = await delivered(result({ decision: 'reject' }));
		const { body } = await delivered(result({ decision: 'accept' }));

		expect(await resume({ headers, body })).toMatchObject(NOT_TAKEN);
	});

	it('a result of a trigger with another secret', async () => {
		expect(await resume(await delivered(result(), 'another secret'))).toMatchObject(NOT_TAKEN);
	});

	it('anything, where the credential has no secret any more', async () => {
		for (const request of [await delivered(result()), await delivered(result(), '')]) {
			expect(await resume(request, { webhookSecret: '' })).toMatchObject(NOT_TAKEN);
		}
	});

	it('anything, where the secret was weakened meanwhile, and the log says so', async () => {
		const webhookSecret = 'Ivo1971';

		const answer = await resume(await delivered(result(), webhookSecret), { webhookSecret });

		expect(answer).toMatchObject(NOT_TAKEN);
		expect(logs.text()).toMatch(
			/a webhook with status 401 \(Wait for Result needs a 'Webhook Secret'/,
		);
		expect(logs.text()).not.toContain(webhookSecret);
	});

	it.each(['link-18', `${REFERENCE}x`, undefined])('the result of the link %s', async (hosted) => {
		expect(await resume(await delivered(result({ hosted })))).toMatchObject({
			status: 409,
			answer: expect.stringContaining('The execution is waiting for the result of another link.'),
			started: undefined,
		});
	});

	it.each([
		['no result', { event: 'hosted_started', hosted: REFERENCE }],
		['a list', []],
		['nothing', undefined],
	])('what is %s', async (_, body) => {
		expect(await resume(await delivered(body))).toMatchObject({
			status: 400,
			answer: expect.stringContaining('Not a readable result'),
			started: undefined,
		});
	});
});
