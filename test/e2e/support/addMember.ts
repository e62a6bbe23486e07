import { randomUUID } from 'node:crypto';

import { z } from 'zod/v4';

import { N8nApi } from '../../../dev/stack/api';

const invitations = z.tuple([z.object({ user: z.object({ inviteAcceptUrl: z.string() }) })]);

/** Adds somebody to n8n who, unlike its owner, can use only their own credentials. */
export async function addMember(owner: N8nApi): Promise<N8nApi> {
	const invitation = { email: `${randomUUID()}@example.com`, role: 'global:member' };
	const [{ user }] = await owner.post('/invitations', [invitation], invitations);
	const member = new N8nApi(owner.url);
	await member.logIn('/invitations/accept', {
		token: new URL(user.inviteAcceptUrl).searchParams.get('token'),
		firstName: 'A',
		lastName: 'Member',
		password: 'Development-1',
	});
	return member;
}
