import type { INodeParameters } from 'n8n-workflow';

import { IdentityVerificationTrigger } from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { activate } from '../kit/engine';
import { callTrigger, SEND_AGAIN, triggerSetup } from '../kit/engine/callTrigger';
import type { TriggerCall } from '../kit/engine/callTrigger';

const EXPRESSIONS: [name: string, parameters: INodeParameters][] = [
	['authentication', { authentication: '={{ $json.query.how }}' }],
	['output', { output: '={{ $json.body.output }}' }],
	['profiles', { options: { profiles: '={{ $json.body.profileId }}' } }],
	['otherEvents', { options: { otherEvents: '={{ true }}' } }],
];

describe('a trigger that runs with Always Output Data', () => {
	const settings = { alwaysOutputData: true };

	it('is not activated, and says why', async () => {
		await expect(activate(triggerSetup({ settings }))).rejects.toThrow(
			/'Always Output Data'.*Review branch/,
		);
	});

	it('starts nothing, and tells no sender why', async () => {
		expect(await callTrigger({ settings })).toEqual(SEND_AGAIN);
		expect(await callTrigger({ settings, query: {} })).toEqual(SEND_AGAIN);
	});
});

describe('a trigger with an expression', () => {
	it.each(EXPRESSIONS)('in %s is not activated, and says why', async (_, parameters) => {
		await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(
			/expressions.*fixed values/,
		);
	});

	it.each(EXPRESSIONS)('in %s starts nothing, and tells no sender why', async (_, parameters) => {
		expect(await callTrigger({ parameters })).toEqual(SEND_AGAIN);
	});
});

describe('a trigger with a choice that does not exist', () => {
	it.each(['unknown', 'None', '', null, 'signedCustomData'])(
		'of Authentication, %j, is not activated, says what to choose, and starts nothing',
		async (authentication) => {
			const parameters = { authentication } as INodeParameters;

			await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(
				"Set the 'Authentication' of the Identity Verification Trigger to Webhook Secret: it is not one of none, webhookSecret",
			);
			expect(await callTrigger({ parameters })).toEqual(SEND_AGAIN);
			expect(await callTrigger({ parameters, query: {} })).toEqual(SEND_AGAIN);
		},
	);

	it.each(['unknown', 'Raw', '', null])(
		'of Output, %j, is not activated, says why, and starts nothing',
		async (output) => {
			const parameters = { output } as INodeParameters;

			await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(
				"Choose the 'Output' of the Identity Verification Trigger again: a value is not one of decisionAndFields, decisionOnly, raw, simplified",
			);
			expect(await callTrigger({ parameters })).toEqual(SEND_AGAIN);
		},
	);
});

it.each<[profiles: unknown]>([[4711], [['kyc-standard']], [{ a: 1 }], [true]])(
	'with Profiles of %j is not activated, says why, and starts nothing',
	async (profiles) => {
		const parameters = { options: { profiles } } as INodeParameters;

		await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(
			"Enter the 'Profiles' of the Identity Verification Trigger again",
		);
		expect(await callTrigger({ parameters })).toEqual(SEND_AGAIN);
	},
);

it.each<[options: INodeParameters, problem: string]>([
	[
		{ otherEvents: true },
		"Set the 'Authentication' of the Identity Verification Trigger to Webhook Secret, or switch 'Other Events' off",
	],
	[
		{ otherEvents: 'true' },
		"Switch 'Other Events' of the Identity Verification Trigger on or off again",
	],
])(
	'without authentication, with %j, is not activated, says why, and starts nothing',
	async (options, problem) => {
		const parameters = { authentication: 'none', options };

		await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(problem);
		for (const event of ['hosted_conclusive', 'update']) {
			expect(await callTrigger({ parameters, body: { event } })).toEqual(SEND_AGAIN);
		}
	},
);

it.each<[options: unknown]>([[null], [[]], ['x'], [7], [{ profiles: null }]])(
	'with options of %j is activated, and takes all profiles',
	async (options) => {
		const parameters = { options } as INodeParameters;

		await expect(activate(triggerSetup({ parameters }))).resolves.toBeUndefined();
		expect(await callTrigger({ parameters })).toMatchObject({ status: 200 });
	},
);

describe('a trigger whose authentication needs a webhook secret', () => {
	const weak = ['', ' ', 'nineteen-characters', 'twenty & more characters'];
	it.each([null, {}, ...weak.map((webhookSecret) => ({ webhookSecret }))])(
		'is not activated with the credential %j, and says why',
		async (credential) => {
			await expect(activate(triggerSetup({ credential }))).rejects.toThrow(
				/Webhook Secret' of 20 or more random characters/,
			);
		},
	);

	it('is activated with a credential that cannot be read at the moment', async () => {
		const credentialFailure = new Error('The database is away');

		await expect(activate(triggerSetup({ credentialFailure }))).resolves.toBeUndefined();
	});
});

it.each<[TriggerCall]>([
	[{ credential: null, parameters: { authentication: 'none' } }],
	[{ parameters: { authentication: 'webhookSecret', options: { profiles: 'a=b' } } }],
	[{ parameters: { options: { otherEvents: true } } }],
	[{ parameters: { authentication: 'none', options: { otherEvents: false } } }],
	[{ parameters: { output: 'simplified' } }],
	[{ parameters: { output: 'raw' } }],
	[{ parameters: { output: 'decisionOnly' } }],
])('is activated with %j', async (call) => {
	await expect(activate(triggerSetup(call))).resolves.toBeUndefined();
});

describe('the description', () => {
	const { description } = new IdentityVerificationTrigger();

	it('holds no expression that n8n would evaluate for each webhook', () => {
		const defaults = description.properties.map((property) => property.default);
		const evaluated = { ...description, properties: defaults };

		expect(JSON.stringify(evaluated)).not.toMatch(/"=/);
	});

	it('has fixed outputs and a version for which n8n evaluates nothing', () => {
		expect(description.outputs).toEqual(
			['Review', 'Accept', 'Reject'].map((displayName) => ({ type: 'main', displayName })),
		);
		expect(description.version).toBe(2);
	});

	it("leaves nothing to execute(), which n8n's Engine 2.0 doesn't call for a trigger", () => {
		expect(new IdentityVerificationTrigger()).not.toHaveProperty('execute');
	});

	it('lets n8n answer only with what the trigger says, once the execution is recorded', () => {
		expect(description.webhooks).toEqual([
			expect.objectContaining({
				httpMethod: 'POST',
				path: 'webhook',
				responseMode: 'onReceived',
				responseData: '',
			}),
		]);
	});

	it('refuses expressions where a request could use them', () => {
		const options = description.properties.find(({ name }) => name === 'options')?.options ?? [];
		const fields = [...description.properties, ...options].filter(({ name }) =>
			['authentication', 'output', 'otherEvents', 'profiles'].includes(name),
		);

		expect(fields).toHaveLength(4);
		for (const field of fields) expect(field).toMatchObject({ noDataExpression: true });
	});
});
