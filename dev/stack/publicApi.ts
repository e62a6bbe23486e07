import { z } from 'zod/v4';

import type { CredentialValues } from './api';
import type { RestClient } from './rest';

const LABEL = 'Erase a person';

/** What the example *Erase a person* does with n8n's public API. */
const SCOPES = ['execution:list', 'execution:delete', 'communityPackage:list'];

const key = z.object({ id: z.string(), label: z.string() });
/** Before n8n 2.41, a list alone. */
const keys = z.union([
	z.object({ items: z.array(key) }),
	z.array(key).transform((items) => ({ items })),
]);

/**
 * Makes an API key, as a person does in n8n's settings, in place of an earlier one. Returns the
 * credential that holds it. What the account isn't allowed, the key isn't either.
 */
export async function apiKeyCredential(
	client: RestClient,
	wanted = SCOPES,
): Promise<CredentialValues> {
	const { items } = await client.get('/api-keys', keys);
	for (const { id, label } of items) if (label === LABEL) await client.delete(`/api-keys/${id}`);
	const allowed = await client.get('/api-keys/scopes', z.array(z.string()));
	const scopes = wanted.filter((scope) => allowed.includes(scope));
	const body = { label: LABEL, expiresAt: null, scopes };
	const { rawApiKey } = await client.post('/api-keys', body, z.object({ rawApiKey: z.string() }));
	return {
		name: 'n8n account',
		type: 'n8nApi',
		data: { apiKey: rawApiKey, baseUrl: apiUrlOf(client) },
	};
}

/** Where n8n's public API is. */
export function apiUrlOf({ url }: RestClient): string {
	return `${url}/api/v1`;
}

/** The same, in the example's file. */
export const API_URL_IN_FILE = 'https://n8n.example.com/api/v1';
