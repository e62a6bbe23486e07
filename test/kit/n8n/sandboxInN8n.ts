import { randomUUID } from 'node:crypto';

import type { N8nApi } from '../../../dev/stack/api';
import { useSandbox } from '../service/sandbox';
import type { TestSandbox } from '../service/sandbox';

export interface SandboxInN8n {
	sandbox: TestSandbox;
	/** ID in n8n of a credential for the sandbox. */
	readonly credentialId: string;
	/**
	 * Saves another credential for the sandbox, or replaces the one of that name, perhaps as another
	 * user. Returns its ID.
	 */
	saveCredential(values: Record<string, string>, name?: string, user?: N8nApi): Promise<string>;
}

/**
 * A sandbox for the tests of a file, as new for each test, with a credential for it in n8n. An n8n
 * that has its `api` only when tests run can be given too.
 */
export function useSandboxInN8n(
	n8n: N8nApi | { readonly api: N8nApi },
	webhookSecret: string,
): SandboxInN8n {
	const sandbox = useSandbox();
	let credentialId = '';
	const saveCredential = async (
		values: Record<string, string>,
		name = `Credential ${randomUUID()}`,
		user = 'api' in n8n ? n8n.api : n8n,
	) =>
		await user.saveCredential({
			name,
			type: 'identityVerificationApi',
			data: {
				apiKey: sandbox.apiKey,
				baseUrl: sandbox.url,
				fileHosts: new URL(sandbox.filesUrl).host,
				...values,
			},
		});
	beforeAll(async () => {
		credentialId = await saveCredential({ webhookSecret });
	});
	return {
		sandbox,
		saveCredential,
		get credentialId() {
			return credentialId;
		},
	};
}
