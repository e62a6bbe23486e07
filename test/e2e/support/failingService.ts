import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod/v4';

import { listen } from '../../kit/service/httpServer';

const request = z.object({ profile: z.string(), document: z.string() });

/** How it fails, by the profile that a request names. Each answer holds a whole or half result. */
const ANSWERS: Record<string, (response: ServerResponse, result: string, echo: string) => void> = {
	truncated: (response, result) =>
		json(response, 200).end(result.slice(0, Math.floor(result.length / 2))),
	broken: (response, result) => {
		json(response, 200).write(result.slice(0, -100), () => response.destroy());
	},
	wrongShape: (response, result) => json(response, 200).end(`[${result},${result}]`),
	noResult: (response, result) =>
		json(response, 200).end(`${result.slice(0, -1)},"success":false,"decision":null}`),
	serverError: (response, result) => json(response, 500).end(result),
	serverErrorMessage: (response, result, echo) =>
		json(response, 500).end(JSON.stringify({ message: `Failed for ${echo} ${result}` })),
	html: (response, result, echo) =>
		response
			.writeHead(502, { 'content-type': 'text/html' })
			.end(`<html><title>Failed for ${echo} ${result}</title><body>${result}</body></html>`),
};

function json(response: ServerResponse, status: number): ServerResponse {
	return response.writeHead(status, { 'content-type': 'application/json' });
}

/**
 * A service that fails and tells too much: results about a person, the API key, and the images that
 * it was sent. Open until the end of the test.
 */
export async function failingService(result: object, apiKey: string) {
	const { url } = await listen(async (incoming, response) => {
		const { profile, document } = request.parse(JSON.parse(await text(incoming)));
		ANSWERS[profile]?.(response, JSON.stringify(result), `${apiKey} ${document}`);
	});
	return { url, kinds: Object.keys(ANSWERS) };
}
