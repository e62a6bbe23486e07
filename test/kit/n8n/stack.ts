import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { SandboxClient } from '../../../dev/sandbox/client';
import type { SandboxAddress } from '../../../dev/sandbox/client';
import { N8nApi } from '../../../dev/stack/api';
import { N8N_MODULES } from '../../../dev/stack/paths';
import type { Session } from '../../../dev/stack/rest';
import type { Stack } from '../../../dev/stack/stack';

export const HANDLE_VARIABLE = 'E2E_STACK';

const { version } = JSON.parse(readFileSync(join(N8N_MODULES, 'n8n', 'package.json'), 'utf8')) as {
	version: string;
};
const [major = 0, minor = 0] = version.split('.').map(Number);

/** Whether the n8n of the tests is of this version or a newer one. */
export const isN8nSince = (wantedMajor: number, wantedMinor: number) =>
	major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);

// What users notice of such differences is in docs/running.md, "Versions of n8n".

/** Whether Wait for Result works. */
export const CAN_WAIT = isN8nSince(2, 39);

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
