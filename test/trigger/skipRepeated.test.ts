import { DataDeduplicationService } from 'n8n-core';
import type { IDataObject, WorkflowExecuteMode } from 'n8n-workflow';

import { IdentityVerificationTrigger } from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { runNode } from '../kit/engine';

/** In the place of n8n's table. */
const seen = new Set<string>();
let isBroken = false;

beforeAll(async () => {
	const unused = async () => await Promise.reject(new Error('Not used'));
	await DataDeduplicationService.init({
		async checkProcessedAndRecord(items) {
			if (isBroken) throw new Error('The database is away');
			const keys = items.map(String);
			const [processed, fresh] = [true, false].map((known) =>
				keys.filter((key) => seen.has(key) === known),
			);
			for (const key of keys) seen.add(key);
			return { processed: processed ?? [], new: fresh ?? [] };
		},
		async removeProcessed(items) {
			for (const item of items) seen.delete(String(item));
		},
		clearAllProcessedItems: unused,
		getProcessedDataCount: unused,
	});
});

beforeEach(() => {
	seen.clear();
	isBroken = false;
});

const REVIEW = { decision: 'review', transactionId: 'transaction-1' };

/** What the trigger puts out for an item; the same one each time unless it is given. */
async function handle(
	executionId: string,
	mode: WorkflowExecuteMode = 'webhook',
	json: IDataObject = REVIEW,
): Promise<number[]> {
	const { outputs, error } = await runNode({
		node: IdentityVerificationTrigger,
		parameters: { authentication: 'none', options: { skipRepeatedResults: true } },
		items: [{ json }],
		executionId,
		mode,
	});
	expect(error).toBeUndefined();
	return outputs.map((items) => items.length);
}

const AT_REVIEW = [1, 0, 0];
const NOWHERE = [0, 0, 0];

it('skips what another execution has handled', async () => {
	expect(await handle('1')).toEqual(AT_REVIEW);
	expect(await handle('2')).toEqual(NOWHERE);
});

it('does not skip what the same execution has handled, such as when its worker was killed', async () => {
	expect(await handle('1')).toEqual(AT_REVIEW);
	expect(await handle('1')).toEqual(AT_REVIEW);
	expect(await handle('2')).toEqual(NOWHERE);
});

it.each(['retry', 'manual'] as const)(
	'neither skips nor remembers in the mode %s',
	async (mode) => {
		expect(await handle('1', mode)).toEqual(AT_REVIEW);
		expect(await handle('2')).toEqual(AT_REVIEW);
		expect(await handle('3', mode)).toEqual(AT_REVIEW);
	},
);

it('handles the result when n8n can not compare it', async () => {
	await handle('1');
	isBroken = true;

	expect(await handle('2')).toEqual(AT_REVIEW);
});

it.each([
	['an empty transaction ID', { transactionId: '', hosted: null }],
	['no readable ID', { transactionId: {}, hosted: ' ' }],
	['a decision that is not trusted', { decision: 'accept', unrecognizedDecision: true }],
])('neither skips nor remembers a result with %s', async (_, values) => {
	const json = { ...REVIEW, ...values };

	expect(await handle('1', 'webhook', json)).toEqual(AT_REVIEW);
	expect(await handle('2', 'webhook', json)).toEqual(AT_REVIEW);
	expect(seen.size).toBe(0);
});

it('compares the link where the transaction ID is empty', async () => {
	const json = { decision: 'review', transactionId: '', hosted: 'link-1' };

	expect(await handle('1', 'webhook', json)).toEqual(AT_REVIEW);
	expect(await handle('2', 'webhook', { ...json, hosted: 'link-2' })).toEqual(AT_REVIEW);
	expect(await handle('3', 'webhook', json)).toEqual(NOWHERE);
});

it('does not skip what is sent again after it could not be handed to its execution', async () => {
	const notDelivered = 'Only the authentication Webhook Secret proves a decision.';

	expect(await handle('1', 'webhook', { ...REVIEW, notDelivered })).toEqual(AT_REVIEW);
	expect(await handle('2', 'webhook', { ...REVIEW, notDelivered })).toEqual(NOWHERE);
	const laterReason = 'The execution does not exist any more.';
	expect(await handle('3', 'webhook', { ...REVIEW, notDelivered: laterReason })).toEqual(NOWHERE);
	expect(await handle('4')).toEqual(AT_REVIEW);
});

it('keeps no more of a result however often it comes', async () => {
	for (const executionId of ['1', '2', '3', '4']) await handle(executionId);

	expect(seen.size).toBe(2);
});

it('remembers nothing of a person', async () => {
	await handle('1', 'webhook', { ...REVIEW, customData: 'Jane', fields: { lastName: 'Doe' } });

	expect([...seen].join()).toMatch(/^\["transaction-1","review"\],\["transaction-1","review"\] 1$/);
});
