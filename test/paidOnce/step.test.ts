import type { IExecuteFunctions } from 'n8n-workflow';

import { carryOut, makeStep } from '../../nodes/IdentityVerification/batch/step';
import type { Batch, Step } from '../../nodes/IdentityVerification/batch/step';

const rememberPossiblyCharged = jest.fn();
const logged = jest.fn();

const batch = {
	context: { getNode: () => ({}), logger: { error: logged } } as unknown as IExecuteFunctions,
	paid: { rememberPossiblyCharged } as Partial<Batch['paid']>,
} as Batch;

const task = { send: async () => await Promise.reject(new Error('Jane Doe is not a function')) };

beforeEach(() => jest.clearAllMocks());

it('a canceled run reads no more items', async () => {
	const prepare = jest.fn();
	const context = {
		getNode: () => ({}),
		getExecutionCancelSignal: () => AbortSignal.abort(),
		getCredentials: prepare,
	} as unknown as IExecuteFunctions;
	const paid = { inThisExecution: () => undefined } as Partial<Batch['paid']>;

	const step = await makeStep({ ...batch, context, paid, operation: { prepare } } as never, 0);

	expect(step).toMatchObject({ kind: 'failed', error: { context: { charge: 'none' } } });
	expect(prepare).not.toHaveBeenCalled();
});

describe('an error that says nothing about charges, after sending has begun', () => {
	it('may have been charged, is remembered, and shows no text that could hold data', async () => {
		const key = { itemIndex: 3, fingerprint: 'x', baseUrl: 'https://verify.example.com' };

		const outcome = await carryOut(batch, 3, { kind: 'send', task, key });

		expect(outcome).toMatchObject({
			kind: 'failed',
			error: { context: { charge: 'possible', itemIndex: 3 } },
		});
		expect(rememberPossiblyCharged).toHaveBeenCalledTimes(1);
		expect(JSON.stringify([outcome, logged.mock.calls])).not.toContain('Jane');
		expect(logged).toHaveBeenCalledWith(
			expect.stringMatching(/unexpected Error\n +at .*step\.test/),
		);
	});

	it('costs nothing where the request is free', async () => {
		const step: Step = { kind: 'send', task };

		expect(await carryOut(batch, 3, step)).toMatchObject({
			kind: 'failed',
			error: {
				context: { charge: 'none' },
				message: expect.stringContaining('Nothing was charged') as string,
			},
		});
		expect(rememberPossiblyCharged).not.toHaveBeenCalled();
	});
});
