import { API_URL_IN_FILE, apiKeyCredential, apiUrlOf } from '../../../../dev/stack/publicApi';
import type { N8nApi } from '../../../../dev/stack/api';
import { poll } from '../../../../dev/stack/poll';
import type { RestClient } from '../../../../dev/stack/rest';
import { DEADLINE } from '../../../kit/n8n/waitingFlow';
import type { DataTable, WholeRow } from './dataTable';

export const ERASER = 'erase-a-person';
export const REQUESTS = 'Erasure requests';
export const ASK = 'Ask a colleague to approve the erasure';
export const SHOW = 'Save what is held as a file';

/** What a user sets in the example for this n8n. */
export const apiAddress = (client: RestClient) => ({ [API_URL_IN_FILE]: apiUrlOf(client) });

/** The credential for n8n's public API, with a key of whoever is logged in. */
export async function saveApiKey(
	api: N8nApi,
	owner: RestClient = api,
	scopes?: string[],
): Promise<string> {
	return await api.saveCredential(await apiKeyCredential(owner, scopes));
}

/** The text of a page that somebody sees. */
export function textOf(html: string): string {
	const body = html.replace(/<(script|style)[^]*?<\/\1>/g, ' ');
	return body
		.replace(/<[^>]+>/g, ' ')
		.replaceAll('&#x27;', "'")
		.replace(/\s+/g, ' ');
}

/** The numbers of the executions that a page lists. */
export function executionsOn(html: string): string[] {
	const [, list = ''] = /Executions: ?\d+, of [^:]+: ([\d, ]+)\./.exec(textOf(html)) ?? [];
	return list.split(', ').filter(Boolean);
}

/** The row of a request, when it is in this state. */
export async function requestIn(requests: DataTable, id: string, state: string): Promise<WholeRow> {
	const isThere = async () =>
		(await requests.wholeRows()).find((row) => String(row.id) === id && row.state === state);
	return await poll(isThere, { what: `request ${id} to be ${state}`, ...DEADLINE });
}

/** A row of a request that is approved already. */
export const approved = (...ids: string[]): WholeRow => ({
	ids: JSON.stringify(ids),
	state: 'approved',
	askedBy: 'account-1',
	approvedBy: 'account-2',
	found: '',
	erased: '',
	nextTry: new Date(Date.now() - 1_000).toISOString(),
});
