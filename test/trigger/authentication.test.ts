import { authenticate } from '../../nodes/IdentityVerification/trigger/authenticate';
import { signCustomData } from '../../nodes/IdentityVerification/signedCustomData';
import { fixture } from '../kit/fixtures';
import { callTrigger, REFUSED, SECRET, SEND_AGAIN } from '../kit/trigger/callTrigger';
import type { TriggerCall } from '../kit/trigger/callTrigger';

const PROFILE = 'onboarding-standard';

const readBody = async () => ({ json: {} });
const readSecret = async () => SECRET;

const WRONG_SECRETS = [
	['no secret', ''],
	['a prefix', SECRET.slice(0, -1)],
	['a longer one', `${SECRET}x`],
	['another case', SECRET.toLowerCase()],
	['one repeated by a proxy', `${SECRET}, ${SECRET}`],
	['another one', 'x'.repeat(SECRET.length)],
] as const;

describe('Webhook Secret', () => {
	it.each([
		['the query parameter', { query: { secret: SECRET } }],
		['the header', { query: {}, headers: { 'X-Webhook-Secret': SECRET } }],
		[
			'the header beside a wrong parameter',
			{
				query: { secret: 'wrong' },
				headers: { 'x-webhook-secret': SECRET },
			},
		],
	])('takes the right secret in %s', async (_, request) => {
		expect(await callTrigger(request)).toMatchObject({ status: 200, started: [[], [{}], []] });
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
		['a parameter of another name', { Secret: SECRET, token: SECRET }],
	])('refuses a query with %s', async (_, query) => {
		expect(await callTrigger({ query })).toEqual(REFUSED);
	});

	it('refuses the secret in the body', async () => {
		const body = fixture('webhook-accept', { secret: SECRET });

		expect(await callTrigger({ query: {}, body })).toEqual(REFUSED);
	});

	// n8n reads `?secret=a&secret=b` as a list and `?secret[a]=b` as an object.
	it.each([
		['repeated', [SECRET, SECRET]],
		['repeated once', [SECRET]],
		['an object', { secret: SECRET, toString: SECRET }],
		['a number', 1],
	])('refuses a parameter that is %s', async (_, secret) => {
		const request = { readBody, query: { secret }, headers: { 'x-webhook-secret': [SECRET] } };

		expect(await authenticate(request, 'webhookSecret', readSecret)).toBeUndefined();
	});

	it('tells an unauthentic sender nothing about the body', async () => {
		expect(await callTrigger({ query: {}, body: undefined })).toEqual(REFUSED);
		expect(await callTrigger({ query: {}, body: { event: 5 } })).toEqual(REFUSED);
	});
});

describe('Signed Custom Data', () => {
	const call = async (changes: { customData?: unknown; profileId?: unknown }) =>
		await callTrigger({
			query: { secret: SECRET },
			body: { ...fixture('webhook-accept'), ...changes },
			parameters: { authentication: 'signedCustomData' },
		});

	it("takes a signed value and hands on the caller's own one", async () => {
		const { started } = await call({ customData: signCustomData(SECRET, PROFILE, 'a-1') });

		expect(started).toMatchObject([[], [{ customData: 'a-1' }], []]);
	});

	it.each([
		['missing', undefined],
		['null', null],
		['empty', ''],
		['unsigned', 'customer-20417'],
		['a list of one signed value', [signCustomData(SECRET, PROFILE, 'a-1')]],
		['a number', 5],
		['an object', { toString: 'a' }],
	])('refuses custom data that is %s', async (_, customData) => {
		expect(await call({ customData })).toEqual(REFUSED);
	});

	it.each([undefined, null, 'other', '', 5, { toString: 1 }, [['other']]])(
		'refuses a value that was signed for another profile than %j',
		async (profileId) => {
			const customData = signCustomData(SECRET, PROFILE, 'a-1');

			expect(await call({ customData, profileId })).toEqual(REFUSED);
		},
	);

	it.each([undefined, null, [], 'text'])('refuses the body %j', async (body) => {
		const parameters = { authentication: 'signedCustomData' };

		expect(await callTrigger({ body, parameters })).toEqual(REFUSED);
	});
});

describe('without a webhook secret', () => {
	const signedWithNothing = fixture('webhook-accept', {
		customData: signCustomData('', PROFILE, 'a-1'),
	});

	it.each([
		['is missing', null],
		['has no secret', {}],
		['has an empty secret', { webhookSecret: '' }],
		['has a blank secret', { webhookSecret: ' \t' }],
	])('everything is refused: the credential %s', async (_, credential) => {
		const call = { credential, body: signedWithNothing };

		for (const authentication of ['webhookSecret', 'signedCustomData']) {
			for (const secret of ['', ' ', 'undefined', 'null', SECRET]) {
				const query = { secret };
				expect(await callTrigger({ ...call, query, parameters: { authentication } })).toEqual(
					REFUSED,
				);
			}
		}
	});

	it('None takes what comes', async () => {
		const parameters = { authentication: 'none' };

		const { status } = await callTrigger({ credential: null, query: {}, parameters });

		expect(status).toBe(200);
	});
});

describe('with a credential that can not be read at the moment', () => {
	const credentialFailure = new Error('connect ECONNREFUSED 10.0.0.5:5432');
	const signed = fixture('webhook-accept', { customData: signCustomData(SECRET, PROFILE, 'a-1') });
	const away = async (authentication: string, call: TriggerCall = {}) =>
		await callTrigger({ credentialFailure, parameters: { authentication }, ...call });

	it('a webhook that carries a proof is to be sent again', async () => {
		const headers = { 'X-Webhook-Secret': 'wrong' };

		expect(await away('webhookSecret')).toEqual(SEND_AGAIN);
		expect(await away('webhookSecret', { query: {}, headers })).toEqual(SEND_AGAIN);
		expect(await away('signedCustomData', { body: signed })).toEqual(SEND_AGAIN);
	});

	it('one that carries none is refused', async () => {
		const body = { event: 'hosted_conclusive' };

		expect(await away('webhookSecret', { query: {} })).toEqual(REFUSED);
		expect(await away('webhookSecret', { query: { secret: '' } })).toEqual(REFUSED);
		expect(await away('signedCustomData', { body })).toEqual(REFUSED);
	});

	it('None takes what comes', async () => {
		expect(await away('none')).toMatchObject({ status: 200, started: [[], [{}], []] });
	});
});

it.each(['', 'None', 'unknown', null])(
	'an unknown method, %j, lets nothing in without the secret',
	async (method) => {
		const request = { readBody, query: {}, headers: {} };

		expect(await authenticate(request, method as 'none', readSecret)).toBeUndefined();
	},
);
