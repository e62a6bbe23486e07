import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import type { Batch } from '../../nodes/IdentityVerification/batch/batch';
import { PaidRequests } from '../../nodes/IdentityVerification/batch/paid/paidRequests';
import { carryOut, makeStep } from '../../nodes/IdentityVerification/batch/step';
import type { Step, Task } from '../../nodes/IdentityVerification/batch/step';
import type { ConnectedItem } from '../../nodes/IdentityVerification/item';

const rememberPossiblyCharged = jest.fn();
const logged = jest.fn();

const batch = {
	context: { getNode: () => ({}), logger: { error: logged } } as unknown as IExecuteFunctions,
	paid: { rememberPossiblyCharged } as Partial<Batch['paid']>,
} as Batch;

const item = {
	...batch,
	itemIndex: 3,
	get service(): ConnectedItem['service'] {
		throw new Error('Jane Doe is not a function');
	},
} as unknown as ConnectedItem;

const scan = { kind: 'scan' } as Task;
const downloads = {
	kind: 'downloads',
	files: [{ field: 'front', fileName: 'front.jpg', url: 'https://example.com/front.jpg' }],
} as Task;

beforeEach(() => jest.clearAllMocks());

it('a canceled run reads no more items', async () => {
	const readCredential = jest.fn();
	const context = {
		getNode: () => ({}),
		getExecutionCancelSignal: () => AbortSignal.abort(),
		getCredentials: readCredential,
	} as unknown as IExecuteFunctions;
	const paid = { inThisExecution: () => undefined } as Partial<Batch['paid']>;

	const step = await makeStep({ ...batch, context, paid, kind: 'scan' } as never, 0);

	expect(step).toMatchObject({ kind: 'failed', error: { context: { charge: 'none' } } });
	expect(readCredential).not.toHaveBeenCalled();
});

describe('what the next try does with an item', () => {
	const HERE = 'https://verify.example.com';
	const ELSEWHERE = 'https://test.example.com';

	/** An execution whose credential leads to an address; without one, it can't be read. */
	const contextOf = (
		executionId: string,
		stored: IDataObject,
		baseUrl?: string,
		profile = 'kyc-standard',
	) => {
		const parameters: IDataObject = { profile, mode: 0, customData: 'applicant-1' };
		return {
			getNode: () => ({ parameters }),
			getNodeParameter: (name: string, _: number, fallback?: unknown) =>
				parameters[name] ?? fallback,
			getChildNodes: () => [],
			getContext: () => stored,
			getWorkflowDataProxy: () => ({ $runIndex: 0 }),
			getExecutionId: () => executionId,
			getExecutionCancelSignal: () => undefined,
			getCredentials: async () =>
				baseUrl ? { baseUrl } : await Promise.reject(new Error('The database is away')),
		} as unknown as IExecuteFunctions;
	};

	/** The step for a link. */
	const linkStep = async (context: IExecuteFunctions) => {
		const paid = new PaidRequests({ context, isAgentTool: false });
		return await makeStep({ context, paid, kind: 'link' } as never, 0);
	};

	interface Before {
		in: 'this execution' | 'an earlier execution';
		was: 'paid' | 'possibly charged';
		at?: string;
		asked?: 'something else';
	}

	/** The step for an item whose request had this outcome, and whether it's then known as paid. */
	async function stepAfter(before: Before | undefined, baseUrl?: string) {
		const stored = {};
		const context = contextOf('2', stored, baseUrl);
		if (before) {
			const executionId = before.in === 'this execution' ? '2' : '1';
			const profile = before.asked && 'kyc-business';
			const sender = contextOf(executionId, stored, before.at ?? HERE, profile);
			const sent = await linkStep(sender);
			if (sent.kind !== 'send' || !sent.key) throw new Error('Nothing was to be sent');
			const { key } = sent;
			const paid = new PaidRequests({ context: sender, isAgentTool: false });
			const done = { item: { json: { transactionId: 'tx-1' } }, hints: [] };
			if (before.was === 'paid') paid.rememberPaid(key, done);
			else paid.rememberPossiblyCharged(key, { message: 'No answer', description: '' });
		}
		const step = await linkStep(context);
		return { step, hasResult: new PaidRequests({ context, isAgentTool: false }).results(1).has(0) };
	}

	it.each<Before>([
		{ in: 'this execution', was: 'paid' },
		{ in: 'this execution', was: 'paid', asked: 'something else' },
		{ in: 'an earlier execution', was: 'paid' },
	])('returns the result again: %j', async (before) => {
		const { step, hasResult } = await stepAfter(before, HERE);

		expect(step).toMatchObject({
			kind: 'paid',
			done: { item: { json: { transactionId: 'tx-1' } } },
		});
		// The error of this execution names it, and its next try finds it.
		expect(hasResult).toBe(true);
	});

	it.each<Before>([
		{ in: 'this execution', was: 'possibly charged' },
		{ in: 'this execution', was: 'possibly charged', at: ELSEWHERE },
		{ in: 'this execution', was: 'possibly charged', asked: 'something else' },
	])('fails as before, and sends nothing: %j', async (before) => {
		const { step } = await stepAfter(before, HERE);

		expect(step).toMatchObject({
			kind: 'failed',
			error: {
				message: expect.stringMatching(/^No answer/) as string,
				context: { charge: 'possible' },
			},
		});
	});

	it.each<Before>([
		{ in: 'this execution', was: 'paid', at: ELSEWHERE },
		{ in: 'an earlier execution', was: 'paid', at: ELSEWHERE },
		{ in: 'an earlier execution', was: 'paid', at: ELSEWHERE, asked: 'something else' },
	])('fails, and names the result and both addresses: %j', async (before) => {
		const { step } = await stepAfter(before, HERE);

		expect(step).toMatchObject({
			kind: 'failed',
			error: {
				message: expect.stringMatching(/already paid for \(tx-1\), at an address other/) as string,
				description: expect.stringMatching(
					`paid for at ${ELSEWHERE}, and .* leads to ${HERE}.*set the credential back and use Retry`,
				) as string,
				context: { charge: 'possible' },
			},
		});
	});

	it.each<Before | undefined>([
		undefined,
		{ in: 'an earlier execution', was: 'paid', asked: 'something else' },
		{ in: 'an earlier execution', was: 'possibly charged' },
		{ in: 'an earlier execution', was: 'possibly charged', at: ELSEWHERE },
	])('sends it: %j', async (before) => {
		expect((await stepAfter(before, HERE)).step.kind).toBe('send');
	});

	it('returns the result again, but sends nothing, if the credential cannot be read', async () => {
		const { step: paid } = await stepAfter({ in: 'this execution', was: 'paid' });
		const { step: unpaid } = await stepAfter({ in: 'an earlier execution', was: 'paid' });

		expect(paid.kind).toBe('paid');
		expect(unpaid).toMatchObject({ kind: 'failed', error: { context: { charge: 'none' } } });
	});
});

describe('an error that says nothing about charges, after sending has begun', () => {
	it('may have been charged, is remembered, and shows no text that could hold data', async () => {
		const key = { itemIndex: 3, fingerprint: 'x', baseUrl: 'https://verify.example.com' };

		const outcome = await carryOut(batch, 3, { kind: 'send', item, task: scan, key });

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
		const step: Step = { kind: 'send', item, task: downloads };

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
