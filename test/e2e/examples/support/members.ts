import { z } from 'zod/v4';

import type { N8nApi } from '../../../../dev/stack/api';
import { RestClient } from '../../../../dev/stack/rest';

const invited = z.array(
	z.object({ user: z.object({ id: z.string(), inviteAcceptUrl: z.string() }) }),
);

/** An account in n8n, without access to anybody's workflows. */
export interface Member {
	id: string;
	email: string;
	/** In this login. */
	client: RestClient;
}

/** Invites somebody, who then enters a name and a password, as on n8n's pages. */
export async function addMember(api: N8nApi, firstName: string, lastName: string): Promise<Member> {
	const email = `${firstName}.${lastName}@example.com`.toLowerCase();
	const [invitation] = await api.post('/invitations', [{ email, role: 'global:member' }], invited);
	const { id = '', inviteAcceptUrl = '' } = invitation?.user ?? {};
	const token = new URL(inviteAcceptUrl).searchParams.get('token');
	const client = new RestClient(api.url);
	const body = { token, firstName, lastName, password: 'Member-of-n8n-1' };
	await client.logIn('/invitations/accept', body);
	return { id, email, client };
}
