import type { ServerResponse } from 'node:http';

import { listenToEnd } from '../../kit/service/httpServer';

/** Said of the request of a test with one item. */
export const DOCUMENT_MAY_BE_CHARGED =
	/\. The request may have been processed and charged for "document\.jpg"/;

/** A service that answers each request in this way, and the credential for it. */
export async function serviceThatAnswers(answer: (response: ServerResponse) => void) {
	const { url, asked, closed } = await listenToEnd((_, response) => answer(response));
	return { credential: { baseUrl: url }, asked, closed };
}
