import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

import { until } from '../until';

/** Where Node.js tells of answers whose headers its HTTP client has received. */
const CHANNEL = 'http.client.response.finish';

/** Resolves when a node has begun to read the body of an answer that arrives from now on. */
export async function untilAnswerIsRead(): Promise<void> {
	let answer: IncomingMessage | undefined;
	const received = (message: unknown) => {
		answer = (message as { response: IncomingMessage }).response;
	};
	subscribe(CHANNEL, received);
	try {
		await until('an answer to be read', () => answer?.readableDidRead === true);
	} finally {
		unsubscribe(CHANNEL, received);
	}
}
