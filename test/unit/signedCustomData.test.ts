import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import {
	signCustomData,
	verifyCustomData,
} from '../../nodes/IdentityVerification/signedCustomData';
import { useSandbox } from '../kit/sandbox';
import { callTrigger, REFUSED, SECRET } from '../kit/trigger/callTrigger';
import { hostedFlow, PROFILE } from '../kit/trigger/hostedFlow';

const sandbox = useSandbox();

const receive = async (body: IDataObject, webhookSecret = SECRET) =>
	await callTrigger({
		body,
		query: {},
		credential: { webhookSecret },
		parameters: { authentication: 'signedCustomData' },
	});

/** What the caller set as Custom Data, and the body of the webhook that came of it. */
async function webhookOf(customData: string, scenario?: string): Promise<IDataObject> {
	const { complete } = await hostedFlow(sandbox, { signCustomData: true });
	return (await complete([customData], scenario))[0] as IDataObject;
}

const codeUnits = fc
	.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 60 })
	.map((units) => String.fromCharCode(...units));
const parts = fc.constantFrom('.', 'v1', '.v1.', 'A'.repeat(43), '"', '\\', ',', '\n', '\0', '{}');
const values = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 60 }),
	codeUnits,
	fc.array(parts, { maxLength: 12 }).map((chosen) => chosen.join('')),
	fc.string().map((value) => signCustomData(SECRET, PROFILE, value)),
);

describe('a link that was created with Sign Custom Data', () => {
	it.each([
		['lowConfidence', 0],
		['accept', 1],
		['aml', 2],
	])("comes back with the caller's own value: %s", async (scenario, output) => {
		const body = await webhookOf('customer-1', scenario);

		const { status, started } = await receive(body);

		expect(body.customData).toMatch(/^customer-1\.v1\.[\w-]{43}$/);
		expect(status).toBe(200);
		expect(started?.[output]).toMatchObject([
			{ customData: 'customer-1', details: { profileId: PROFILE } },
		]);
		expect(started?.flat()).toHaveLength(1);
	});

	it('comes back whatever characters the value holds', async () => {
		const { complete } = await hostedFlow(sandbox, { signCustomData: true });
		const batches = fc.array(values, { minLength: 10, maxLength: 10 });

		await fc.assert(
			fc.asyncProperty(batches, async (batch) => {
				const bodies = await complete(batch);
				const answers = await Promise.all(bodies.map(async (body) => await receive(body)));

				expect(answers.map(({ started }) => started?.[1]?.[0]?.customData)).toEqual(batch);
			}),
			{ numRuns: 3 },
		);
	}, 300_000);

	it.each([0, 1, 2_000])('comes back with a value of %d characters', async (length) => {
		const { started } = await receive(await webhookOf('é'.repeat(length)));

		expect(started?.[1]).toMatchObject([{ customData: 'é'.repeat(length) }]);
	});
});

describe('a forged webhook is refused', () => {
	let genuine: IDataObject & { customData: string };
	beforeAll(async () => {
		genuine = (await webhookOf('customer-1')) as typeof genuine;
	});

	const forgeries: [name: string, forge: (signed: string) => string][] = [
		['another value', (signed) => signed.replace('customer-1', 'customer-2')],
		['a longer value', (signed) => `x${signed}`],
		['a value with a space', (signed) => signed.replace('.v1', ' .v1')],
		['no signature', (signed) => signed.replace(/\.v1\..*/, '')],
		['an empty signature', (signed) => signed.replace(/\.v1\..*/, '.v1.')],
		['a cut signature', (signed) => signed.slice(0, -1)],
		['a longer signature', (signed) => `${signed}A`],
		['another version', (signed) => signed.replace('.v1.', '.v2.')],
		['a line after it', (signed) => `${signed}\n`],
		['another last character', (signed) => signed.slice(0, -1) + other(signed.at(-1))],
		['another first character', (signed) => signed.replace(/v1\.(.)/, (_, c) => `v1.${other(c)}`)],
		['the signature alone', (signed) => signed.slice(-43)],
		['the signature of an unsigned text', (signed) => signCustomData(signed, PROFILE, 'x')],
	];

	it.each(forgeries)('with %s', async (_, forge) => {
		const customData = forge(genuine.customData);

		expect(customData).not.toBe(genuine.customData);
		expect(await receive({ ...genuine, customData })).toEqual(REFUSED);
	});

	it.each([undefined, null, 'sandbox-aml', 'SANDBOX-ACCEPT', `${PROFILE} `])(
		'with the profile %j',
		async (profileId) => {
			expect(await receive({ ...genuine, profileId })).toEqual(REFUSED);
		},
	);

	it.each([SECRET.toUpperCase(), SECRET.slice(1), `${SECRET}x`])(
		'by a trigger with another secret, %s',
		async (secret) => {
			expect(await receive(genuine, secret)).toEqual(REFUSED);
		},
	);
});

it('a link that was created without Sign Custom Data is refused', async () => {
	const { complete } = await hostedFlow(sandbox, {});
	const [body = {}] = await complete(['customer-1']);

	expect(body.customData).toBe('customer-1');
	expect(await receive(body)).toEqual(REFUSED);
});

describe('signing', () => {
	it('gives every value back', () => {
		fc.assert(
			fc.property(values, values, values, (secret, profile, value) => {
				expect(verifyCustomData(secret, profile, signCustomData(secret, profile, value))).toBe(
					value,
				);
			}),
		);
	});

	it('binds the value to the secret and the profile', () => {
		const signed = fc.tuple(values, values, values);
		fc.assert(
			fc.property(signed, signed, ([secret, profile, value], [secret2, profile2, value2]) => {
				fc.pre(profile !== profile2 || value !== value2);
				const signature = signCustomData(secret, profile, value).slice(-43);
				const forged = `${value2}.v1.${signature}`;

				expect(verifyCustomData(secret, profile2, forged)).toBeUndefined();
				expect(verifyCustomData(`${secret}${secret2}!`, profile, forged)).toBeUndefined();
			}),
		);
	});

	it('does not mix up where the profile ends and the value begins', () => {
		const signature = signCustomData(SECRET, 'a', 'b","c').slice(-43);

		expect(verifyCustomData(SECRET, 'a","b', `c.v1.${signature}`)).toBeUndefined();
	});

	it('keeps different lone surrogates apart', () => {
		const signature = signCustomData(SECRET, PROFILE, '\ud800').slice(-43);

		expect(verifyCustomData(SECRET, PROFILE, `\ud801.v1.${signature}`)).toBeUndefined();
	});

	it('refuses a long text in no time', () => {
		const text = '.v1.'.repeat(4_000_000);
		const start = process.cpuUsage();

		expect(verifyCustomData(SECRET, PROFILE, text)).toBeUndefined();
		const { user, system } = process.cpuUsage(start);
		expect(user + system).toBeLessThan(10_000_000);
	});
});

function other(character: unknown): string {
	return character === 'A' ? 'B' : 'A';
}
