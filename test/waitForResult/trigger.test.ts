import type { RequestListener } from 'node:http';

import { addAddress } from '../../nodes/IdentityVerification/delivery/address';
import { fixture } from '../kit/data/fixtures';
import { IGNORED, SEND_AGAIN, callTrigger } from '../kit/engine/callTrigger';
import type { TriggerCall } from '../kit/engine/callTrigger';
import { listenToEnd } from '../kit/service/httpServer';
import { WEBHOOK_SECRET } from '../kit/settings';

jest.mock('n8n-workflow', () => jest.requireActual<object>('../kit/engine/shortPauses'));

// That an execution goes on needs a whole n8n: test/e2e/waitForResult/.

const PROFILE = 'kyc-onboarding';
const EXECUTION = { executionId: '7', resumeToken: 'f'.repeat(64) };

/**
 * A result of a link that an execution waits for; its Custom Data holds the address of that
 * execution.
 */
async function receive(
	{ secret = WEBHOOK_SECRET, profile = PROFILE, value = 'customer-1' },
	call: TriggerCall = {},
	changes: object = {},
) {
	const customData = addAddress(secret, profile, 'customer-1', EXECUTION).replace(
		/^customer-1/,
		value,
	);
	const body = fixture('webhook-accept', { profileId: PROFILE, customData, ...changes });
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
				notDelivered: expect.stringMatching(
					/^Its link was created for another profile or with another webhook secret, or its Custom Data came back changed: trimmed, escaped, cut off, or with different capitalization\.$/,
				),
			},
		]);
	});

	it('also when the trigger lists other profiles', async () => {
		const parameters = { options: { profiles: 'kyc-other' } };
		const { started } = await receive({ secret: 'another secret of the tests' }, { parameters });

		expect(started?.flat()).toHaveLength(1);
	});
});

/** An n8n that says whether it has started, and takes every result. */
function n8nThat(hasStarted: boolean) {
	const asked: string[] = [];
	const n8n: RequestListener = ({ url = '' }, response) => {
		asked.push(url);
		const own = url.startsWith('/healthz/') ? '{"status":"error"}' : '{"received":true}';
		response.writeHead(hasStarted ? 200 : 503).end(own);
	};
	return { n8n, asked };
}

it('a result that n8n hands to its execution starts nothing, whatever profiles the trigger lists', async () => {
	const { n8n, asked } = n8nThat(true);
	const parameters = { options: { profiles: 'kyc-other' } };

	expect(await receive({}, { n8n, parameters })).toEqual(IGNORED);
	const resumed = '/webhook-waiting/7/identity-verification-result?signature=';
	expect(asked).toEqual(expect.arrayContaining([resumed + EXECUTION.resumeToken]));
});

const TOO_DEEP = `"credit":${'['.repeat(100_000)}${']'.repeat(100_000)}`;

it.each<[string, string, object, boolean]>([
	['with a number that JSON does not have', '"credit":NaN', { credit: null }, true],
	['without a number that is too large', '"credit":1e400', {}, true],
	['without what is nested too deeply', TOO_DEEP, {}, true],
	['as it is', '"credit":7', { credit: 7 }, false],
])('a result is handed over %s, and says so', async (_, member, handed, isRepaired) => {
	let posted = '';
	const n8n: RequestListener = (request, response) => {
		request.on('data', (chunk) => (posted ||= String(chunk)));
		request.on('end', () => response.end('{"received":true}'));
	};
	const customData = addAddress(WEBHOOK_SECRET, PROFILE, 'customer-1', EXECUTION);
	const result = { event: 'hosted_conclusive', profileId: PROFILE, customData };
	const body = Buffer.from(JSON.stringify(result).replace(/}$/, `,${member}}`));
	// n8n itself refuses NaN in what is called application/json.
	const headers = { 'Content-Type': 'text/json' };

	expect(await callTrigger({ body, headers, n8n })).toEqual(IGNORED);
	const json = { ...result, customData: 'customer-1', ...handed };
	expect(JSON.parse(posted)).toEqual({ json, isRepaired });
});

it('a result and its token go to this n8n, whatever the sender calls it', async () => {
	const { n8n, asked } = n8nThat(true);
	const { url: elsewhere, asked: askedElsewhere } = await listenToEnd((_, response) =>
		response.end('{"received":true}'),
	);
	const { host } = new URL(elsewhere);
	const headers = { 'X-Forwarded-Host': host, Forwarded: `host=${host}` };

	expect(await receive({}, { n8n, headers })).toEqual(IGNORED);
	expect(askedElsewhere()).toBe(0);
	expect(asked.join()).toContain(EXECUTION.resumeToken);
});

it('another event of its link is not handed to the execution', async () => {
	const { n8n, asked } = n8nThat(true);

	expect(await receive({}, { n8n }, { event: 'hosted_started' })).toEqual(IGNORED);
	expect(asked).toEqual([]);
});

it.each(['simplified', 'raw'])(
	'another event that the trigger takes is not, either, and has the own value alone: %s',
	async (output) => {
		const { n8n, asked } = n8nThat(true);
		const parameters = { output, options: { otherEvents: true } };

		const { started } = await receive({}, { n8n, parameters }, { event: 'update' });

		expect(started).toMatchObject([[{ event: 'update', customData: 'customer-1' }], [], []]);
		expect(JSON.stringify(started)).not.toContain('.w1.');
		expect(asked).toEqual([]);
	},
);

describe('a result whose address was cut off', () => {
	const customData = addAddress(WEBHOOK_SECRET, PROFILE, 'customer-1', EXECUTION).slice(0, 100);
	const body = fixture('webhook-accept', { profileId: PROFILE, customData });

	it.each(['simplified', 'raw', 'decisionOnly'])(
		'is handed to nobody, says why, and has the own value alone: %s',
		async (output) => {
			const { n8n, asked } = n8nThat(true);
			const parameters = { output, options: { profiles: 'kyc-other' } };

			const { started } = await callTrigger({ body, n8n, parameters });

			expect(started?.[1]).toMatchObject([
				{
					customData: 'customer-1',
					notDelivered: expect.stringMatching(/came back cut off or changed/),
				},
			]);
			expect(asked).toEqual([]);
		},
	);
});

it('a result whose Custom Data came back with spaces after it is handed to its execution', async () => {
	const { n8n } = n8nThat(true);
	const customData = addAddress(WEBHOOK_SECRET, PROFILE, 'customer-1', EXECUTION).padEnd(255);
	const body = fixture('webhook-accept', { profileId: PROFILE, customData });

	expect(await callTrigger({ body, n8n })).toEqual(IGNORED);
});

it('a result is to be sent again while n8n starts', async () => {
	const { n8n, asked } = n8nThat(false);

	expect(await receive({}, { n8n })).toEqual(SEND_AGAIN);
	expect(new Set(asked)).toEqual(new Set(['/healthz/readiness']));
});

it('shows the address of an execution to nobody', async () => {
	const answer = await receive({ secret: 'another secret of the tests' });

	expect(JSON.stringify(answer)).not.toContain('.w1.');
});
