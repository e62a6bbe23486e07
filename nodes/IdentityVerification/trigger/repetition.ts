import type { IExecuteFunctions } from 'n8n-workflow';

import { REMEMBERED, SKIP_REPEATED } from './fields';

const HINT =
	'This trigger has handled a result with this transaction and decision before, so nothing was started.';

/**
 * Whether the trigger's item repeats a result of an earlier execution, as far as the node is to remember them.
 * Never rejects: a result that can't be compared is handled as a new one.
 */
export async function isRepeated(context: IExecuteFunctions): Promise<boolean> {
	const key = isRemembering(context) ? keyOf(context) : undefined;
	if (!key) return false;
	// In queue mode, n8n can run the same execution again: what it has recorded itself is no repetition.
	const own = `${key} ${context.getExecutionId()}`;
	// One more, because a copy takes up a place for a moment.
	const options = { mode: 'entries' as const, maxEntries: 2 * readRemembered(context) + 1 };
	const { helpers } = context;
	const { processed } = await helpers
		.checkProcessedAndRecord([key, own], 'node', options)
		.catch(() => ({ processed: [own] }));
	if (!processed.includes(key) || processed.includes(own)) return false;
	// Otherwise, copies would push out other results.
	await helpers.removeProcessed([own], 'node', options).catch(() => {});
	context.addExecutionHints({ type: 'info', location: 'outputPane', message: HINT });
	return true;
}

/** A test run doesn't count, and a retry is meant to do it again. */
function isRemembering(context: IExecuteFunctions): boolean {
	const isOn = optionsOf(context)[SKIP_REPEATED.name] === true;
	return isOn && !['manual', 'retry'].includes(context.getMode());
}

/** As entered: they hold no expressions, and n8n would take longer to look for some than for the rest of this. */
function optionsOf(context: IExecuteFunctions): Partial<Record<string, unknown>> {
	const { options } = context.getNode().parameters;
	return Object(options) as Partial<Record<string, unknown>>;
}

/** Names a result without personal data; undefined for one that has no ID, or whose decision isn't trusted. */
function keyOf(context: IExecuteFunctions): string | undefined {
	const { transactionId, reference, hosted, decision, unrecognizedDecision, notDelivered } =
		context.getInputData()[0]?.json ?? {};
	const id = [transactionId, hosted, reference].find(isId);
	if (id === undefined || unrecognizedDecision) return undefined;
	// Sent again after what kept it from its execution was put right, it is no repetition.
	return JSON.stringify(
		notDelivered === undefined ? [id, decision] : [id, decision, 'notDelivered'],
	);
}

function isId(value: unknown): boolean {
	return typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
}

function readRemembered(context: IExecuteFunctions): number {
	const value = Number(optionsOf(context)[REMEMBERED.name]);
	return value >= 1 ? Math.floor(value) : REMEMBERED.default;
}
