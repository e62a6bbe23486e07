import { listen } from '../httpServer';

const PATH = '/api/applicants/';

interface Answer {
	status: number;
	body: object;
}

const NOT_FOUND: Answer = { status: 404, body: {} };
/** What a CRM answers that searches. */
export const FOUND_NONE: Answer = { status: 200, body: [] };

/**
 * A CRM for a test, at which each applicant has an e-mail address, but for those it doesn't know; what it answers for
 * these can be said.
 */
export async function startCrm(
	unknown: string[] = [],
	nothing: Answer = NOT_FOUND,
): Promise<string> {
	const { url } = await listen((request, response) => {
		const id = decodeURIComponent((request.url ?? '').replace(PATH, ''));
		const isKnown = request.url?.startsWith(PATH) && !unknown.includes(id);
		const found = { status: 200, body: { id, email: `${id}@example.com` } };
		const { status, body } = isKnown ? found : nothing;
		response.writeHead(status, { 'content-type': 'application/json' });
		response.end(JSON.stringify(body));
	});
	return url;
}
