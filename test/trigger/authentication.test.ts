import { receivedSecrets } from '../../nodes/IdentityVerification/trigger/authenticate';
import { fixture } from '../kit/data/fixtures';
import { callTrigger, REFUSED, SEND_AGAIN } from '../kit/engine/callTrigger';
import type { TriggerCall } from '../kit/engine/callTrigger';
import { WEBHOOK_SECRET } from '../kit/settings';

const WRONG_SECRETS = [
	['no secret', ''],
	['a prefix', WEBHOOK_SECRET.slice(0, -1)],
	['a longer one', `${WEBHOOK_SECRET}x`],
	['another case', WEBHOOK_SECRET.toLowerCase()],
	['one repeated by a proxy', `${WEBHOOK_SECRET}, ${WEBHOOK_SECRET}`],
	['another one', 'x'.repeat(WEBHOOK_SECRET.length)],
] as const;

describe('Webhook Secret', () => {
	it.each([
		['the query parameter', { query: { secret: WEBHOOK_SECRET } }],
		['the header', { query: {}, headers: { 'X-Webhook-Secret': WEBHOOK_SECRET } }],
		[
			'the header beside a wrong parameter',
			{
				query: { secret: 'wrong' },
				headers: { 'x-webhook-secret': WEBHOOK_SECRET },
			},
		],
	])('takes the right secret in %s', async (_, request) => {
		expect(await callTrigger(request)).toMatchObject({ status: 200, started: [[], [{}], []] });
	});

	it('takes it for the same when it was pasted with a line break', async () => {
		const credential = { webhookSecret: ` ${WEBHOOK_SECRET}\n` };

		expect(await callTrigger({ credential })).toMatchObject({ status: 200 });
	});

	it.each(WRONG_SECRETS)('refuses %s in the query', async (_, secret) => {
		expect(await callTrigger({ query: { secret } })).toEqual(REFUSED);
	});

	it.each(WRONG_SECRETS)('refuses %s in the header', async (_, secret) => {
		const headers = { 'X-Webhook-Secret': secret };

		expect(await callTrigger({ query: {}, headers })).toEqual(REFUSED);
	});

	it.each([
		['nothing', {}],
		['a parameter of another name', { Secret: WEBHOOK_SECRET, token: WEBHOOK_SECRET }],
	])('refuses a query with %s', async (_, query) => {
		expect(await callTrigger({ query })).toEqual(REFUSED);
	});

	it('refuses the secret in the body', async () => {
		const body = fixture('webhook-accept', { secret: WEBHOOK_SECRET });

		expect(await callTrigger({ query: {}, body })).toEqual(REFUSED);
	});

	// n8n reads `?secret=a&secret=b` as a list and `?secret[a]=b` as an object.
	it.each([
		['repeated', [WEBHOOK_SECRET, WEBHOOK_SECRET]],
		['repeated once', [WEBHOOK_SECRET]],
		['an object', { secret: WEBHOOK_SECRET, toString: WEBHOOK_SECRET }],
		['a number', 1],
	])('finds no secret in a parameter that is %s', (_, secret) => {
		expect(receivedSecrets({ secret }, { 'x-webhook-secret': [WEBHOOK_SECRET] })).toEqual([]);
	});

	it('tells an unauthentic sender nothing about the body', async () => {
		expect(await callTrigger({ query: {}, body: undefined })).toEqual(REFUSED);
		expect(await callTrigger({ query: {}, body: { event: 5 } })).toEqual(REFUSED);
	});
});

describe('without a webhook secret', () => {
	it.each([
		['is missing', null],
		['has no secret', {}],
		['has an empty secret', { webhookSecret: '' }],
		['has a blank secret', { webhookSecret: ' \t' }],
	])('everything is refused: the credential %s', async (_, credential) => {
		for (const secret of ['', ' ', 'undefined', 'null', WEBHOOK_SECRET]) {
			expect(await callTrigger({ credential, query: { secret } })).toEqual(REFUSED);
		}
	});

	it.each(['a', '123', 'nineteen-characters', 'twenty & more characters'])(
		'or with one that was weakened after publishing, everything is refused: %j',
		async (webhookSecret) => {
			const credential = { webhookSecret };
			const headers = { 'X-Webhook-Secret': webhookSecret };

			expect(await callTrigger({ credential, query: { secret: webhookSecret } })).toEqual(REFUSED);
			expect(await callTrigger({ credential, query: {}, headers })).toEqual(REFUSED);
		},
	);

	it('None takes what comes', async () => {
		const parameters = { authentication: 'none' };

		const { status } = await callTrigger({ credential: null, query: {}, parameters });

		expect(status).toBe(200);
	});
});

describe('with a credential that cannot be read at the moment', () => {
	const credentialFailure = new Error('connect ECONNREFUSED 10.0.0.5:5432');
	const away = async (call: TriggerCall = {}) => await callTrigger({ credentialFailure, ...call });

	it('a webhook that carries a secret is to be sent again', async () => {
		const headers = { 'X-Webhook-Secret': 'wrong' };

		expect(await away()).toEqual(SEND_AGAIN);
		expect(await away({ query: {}, headers })).toEqual(SEND_AGAIN);
	});

	it('one that carries none is refused', async () => {
		expect(await away({ query: {} })).toEqual(REFUSED);
		expect(await away({ query: { secret: '' } })).toEqual(REFUSED);
	});

	it('None takes what comes', async () => {
		const taken = await away({ parameters: { authentication: 'none' } });

		expect(taken).toMatchObject({ status: 200, started: [[], [{}], []] });
	});
});
