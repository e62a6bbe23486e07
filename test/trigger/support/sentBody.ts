import { callTrigger, RECEIVED } from '../../kit/engine/callTrigger';
import type { TriggerCall } from '../../kit/engine/callTrigger';
import { fixture } from '../../kit/data/fixtures';

export const MIB = 1024 * 1024;

/** A result, and the bytes of its JSON. */
export const body = fixture('webhook-accept', { customData: 'Zoë' });
export const bytes = Buffer.from(JSON.stringify(body));

/** What is answered to it. */
export const STARTED = { status: 200, body: RECEIVED, started: [[], [body], []] };

export const UNREADABLE = {
	status: 400,
	body: {
		error: 'Not a readable webhook',
		problems: [{ path: '', problem: 'is not a JSON object' }],
	},
	started: undefined,
};

/** Sends a body of this type to a trigger that returns all of it. */
export const call = async (sent: unknown, contentType?: string, rest: TriggerCall = {}) =>
	await callTrigger({
		body: sent,
		...rest,
		headers: { 'Content-Type': contentType, ...rest.headers },
		parameters: { output: 'raw', ...rest.parameters },
	});
