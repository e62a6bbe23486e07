/**
 * Sends a request to n8n on a connection of its own. n8n closes an idle connection after seconds,
 * which a busy machine notices too late.
 */
export async function fetchN8n(url: string, init: RequestInit = {}): Promise<Response> {
	const headers = new Headers(init.headers);
	headers.set('connection', 'close');
	return await fetch(url, { ...init, headers });
}
