import { SandboxClient } from '../../../dev/sandbox/client';
import type { SandboxAddress } from '../../../dev/sandbox/client';
import { N8nApi } from '../../../dev/stack/api';
import type { Session } from '../../../dev/stack/rest';
import type { Stack } from '../../../dev/stack/stack';

export const HANDLE_VARIABLE = 'E2E_STACK';

/** Whether the tests run in n8n 1. What differs there stands in the README, under Compatibility. */
export const IS_N8N_1 = process.env.N8N_FOLDER?.endsWith('n8n-1') ?? false;

/** What tests need of the stack that the global setup has started. */
export interface Handle {
	/** n8n's user folder. */
	folder: string;
	n8nUrl: string;
	session: Session;
	sandbox: SandboxAddress;
	credential: Stack['credential'];
}

export function openStack() {
	const text = process.env[HANDLE_VARIABLE];
	if (!text) throw new Error('The e2e tests run with their own Jest configuration only.');
	const handle = JSON.parse(text) as Handle;
	const api = new N8nApi(handle.n8nUrl, handle.session);
	return { ...handle, api, sandbox: new SandboxClient(handle.sandbox) };
}
