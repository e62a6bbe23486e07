import type { INodeParameters } from 'n8n-workflow';

import { IdentityVerificationTrigger } from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { activate } from '../engine/support';
import { callTrigger, triggerSetup } from './callTrigger';

const EXPRESSIONS: [name: string, parameters: INodeParameters][] = [
	['authentication', { authentication: '={{ $json.query.how }}' }],
	['output', { output: '={{ $json.body.output }}' }],
	['profiles', { options: { profiles: '={{ $json.body.profileId }}' } }],
];

describe('a trigger that runs with Always Output Data', () => {
	const settings = { alwaysOutputData: true };

	it('is not activated, and says why', async () => {
		await expect(activate(triggerSetup({ settings }))).rejects.toThrow(
			/Always Output Data.*Accept branch/,
		);
	});

	it('answers 500 and starts nothing', async () => {
		expect(await callTrigger({ settings })).toEqual({
			status: 500,
			body: { error: expect.stringContaining('Always Output Data') },
			started: undefined,
		});
	});
});

describe('a trigger with an expression', () => {
	it.each(EXPRESSIONS)('in %s is not activated, and says why', async (_, parameters) => {
		await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(
			/expressions.*fixed values/,
		);
	});

	it.each(EXPRESSIONS)('in %s answers 500 and starts nothing', async (_, parameters) => {
		expect(await callTrigger({ parameters })).toEqual({
			status: 500,
			body: { error: expect.stringContaining('fixed values') },
			started: undefined,
		});
	});
});

describe('a trigger with an authentication that does not exist', () => {
	const parameters = { authentication: 'unknown' };

	it('is not activated, and says why', async () => {
		await expect(activate(triggerSetup({ parameters }))).rejects.toThrow(/Authentication/);
	});

	it('starts nothing', async () => {
		const { status, started } = await callTrigger({ parameters });

		expect({ status, started }).toEqual({ status: 500, started: undefined });
	});
});

it.each(['none', 'signedCustomData', 'webhookSecret'])('is activated with %s', async (method) => {
	const parameters = { authentication: method, options: { profiles: 'a=b' } };

	await expect(activate(triggerSetup({ parameters }))).resolves.toBeUndefined();
});

describe('the description', () => {
	const { description } = new IdentityVerificationTrigger();

	it('holds no expression that n8n would evaluate for each webhook', () => {
		const defaults = description.properties.map((property) => property.default);
		const evaluated = { ...description, properties: defaults };

		expect(JSON.stringify(evaluated)).not.toMatch(/"=/);
	});

	it('has fixed outputs and a version for which n8n evaluates nothing', () => {
		expect(description.outputs).toEqual(['main', 'main', 'main']);
		expect(description.outputNames).toEqual(['Accept', 'Review', 'Reject']);
		expect(description.version).toBe(2);
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

	it('takes no expressions where a request could use them', () => {
		const options = description.properties.find(({ name }) => name === 'options')?.options ?? [];
		const fields = [...description.properties, ...options].filter(({ name }) =>
			['authentication', 'output', 'profiles'].includes(name),
		);

		expect(fields).toHaveLength(3);
		for (const field of fields) expect(field).toMatchObject({ noDataExpression: true });
	});
});
