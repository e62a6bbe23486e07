import type { N8nApi } from '../../../../dev/stack/api';
import { startOutside } from '../../../../dev/stack/outside';
import type { Outside } from '../../../../dev/stack/outside';

/**
 * The mail server, the Slack and the CRM of `npm start`, for the tests of a file; they're as new
 * for each test.
 */
export function useOutside(api: N8nApi) {
	let outside: Outside;
	let credentialId = '';
	beforeAll(async () => {
		outside = await startOutside(0);
		credentialId = await api.saveCredential(outside.credential);
	});
	beforeEach(() => {
		outside.answers.clear();
		outside.refused.clear();
		outside.mails.length = 0;
		outside.posts.length = 0;
	});
	afterAll(async () => await outside.close());
	return {
		/** Its addresses by those in the examples. */
		get addresses() {
			return outside.addresses;
		},
		/** ID in n8n of a credential for the mail server. */
		get credentialId() {
			return credentialId;
		},
		/** What requests get in place of the usual answer, by method and path. */
		get answers() {
			return outside.answers;
		},
		/** The addresses that the mail server refuses. */
		get refused() {
			return outside.refused;
		},
		/** The mails since the last call. */
		takeMails: () => outside.mails.splice(0),
		/** What Slack and the CRM have got since the last call. */
		takePosts: () => outside.posts.splice(0).map(({ request, body }) => ({ request, body })),
	};
}
