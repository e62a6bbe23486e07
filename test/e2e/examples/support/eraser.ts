import { API_URL_IN_FILE, apiKeyCredential, apiUrlOf } from '../../../../dev/stack/publicApi';
import type { N8nApi } from '../../../../dev/stack/api';
import type { RestClient } from '../../../../dev/stack/rest';
import { readExample } from '../../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../../kit/n8n/liveWorkflow';

export const ERASER = 'erase-a-person';

/** The credential for n8n's public API, with a key of whoever is logged in. */
export async function saveApiKey(
	api: N8nApi,
	owner: RestClient = api,
	scopes?: string[],
): Promise<string> {
	return await api.saveCredential(await apiKeyCredential(owner, scopes));
}

/** Publishes the second file of the example, which the first one starts. */
export async function startSearch(
	api: N8nApi,
	n8nApi: string,
	replace: Record<string, string> = {},
): Promise<LiveWorkflow> {
	const settings = {
		credentials: { n8nApi },
		replace: { [API_URL_IN_FILE]: apiUrlOf(api), ...replace },
	};
	return await LiveWorkflow.start(api, await readExample(`${ERASER}/search.json`, settings));
}

/** The text of a page that somebody sees. */
export function textOf(html: string): string {
	const body = html.replace(/<(script|style)[^]*?<\/\1>/g, ' ');
	return body
		.replace(/<[^>]+>/g, ' ')
		.replaceAll('&#x27;', "'")
		.replace(/\s+/g, ' ');
}

/** What a page offers to erase, and what of it is chosen already. */
export function choicesOn(html: string): { chosen: string[]; others: string[] } {
	const boxes = [...html.matchAll(/<input type='checkbox'[^>]* value='([^']*)'( checked)? \/>/g)];
	const labels = (isChosen: boolean) =>
		boxes
			.filter(([, , checked]) => Boolean(checked) === isChosen)
			.map(([, label = '']) => label)
			.sort();
	return { chosen: labels(true), others: labels(false) };
}
