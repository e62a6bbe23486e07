import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { startSandbox } from '../sandbox';
import type { Sandbox } from '../sandbox';
import { SandboxClient } from '../sandbox/client';
import type { SandboxAddress } from '../sandbox/client';
import { N8nApi } from './api';
import type { CredentialValues } from './api';
import { BACKEND_CREDENTIAL, FORM_CREDENTIAL } from './backend';
import { STARTERS, setUpExamples } from './examples';
import { startN8n } from './n8n';
import type { N8n } from './n8n';
import { startOutside } from './outside';
import type { Outside } from './outside';
import { SPECIMEN } from './paths';
import { API_URL_IN_FILE, apiKeyCredential, apiUrlOf } from './publicApi';
import type { Login } from './rest';
import { installTarball, packPackage } from './tarball';

/** Login of the development instance, which listens on this machine only. */
export const OWNER: Login = { email: 'owner@example.com', password: 'Development-1' };

const WEBHOOK_SECRET = 'webhook-secret-of-the-development-instance';
const TRIGGER_TYPE = 'n8n-nodes-identity-verification.identityVerificationTrigger';

export interface StackOptions {
	/** n8n's user folder. */
	folder: string;
	n8nPort: number;
	sandboxPort: number;
	sandboxFilesPort: number;
	/** Of what takes the place of Slack and a CRM; any free one if missing. */
	outsidePort?: number;
	/** More settings of n8n. */
	env?: Record<string, string>;
	signal?: AbortSignal;
	/** Gets a line for each stage. */
	report?: (line: string) => void;
}

/** A real n8n with the packed package, beside the sandbox; the starters are published. */
export interface Stack {
	sandbox: Sandbox;
	outside: Outside;
	n8n: N8n;
	api: N8nApi;
	credential: CredentialValues & { id: string };
	/** The only folder whose files workflows can read and write. */
	files: string;
	stop(): Promise<void>;
}

export async function startStack(options: StackOptions): Promise<Stack> {
	const { folder, n8nPort, sandboxPort, sandboxFilesPort, outsidePort, signal, report } = options;
	report?.('Packing the package and installing it into n8n');
	await installTarball(await packPackage(join(folder, 'package')), folder);
	signal?.throwIfAborted();
	report?.('Starting the sandbox and n8n');
	const sandbox = await startSandbox({
		port: sandboxPort,
		filesPort: sandboxFilesPort,
		webhookSecret: WEBHOOK_SECRET,
	});
	const stops = [sandbox.close];
	const stop = async () => {
		for (const end of stops.splice(0).reverse()) await end();
	};
	try {
		const outside = await startOutside(outsidePort ?? 0);
		stops.push(outside.close);
		const files = filesFolder(folder);
		const documents = join(files, 'identity-verification', 'documents');
		await mkdir(documents, { recursive: true });
		await copyFile(SPECIMEN, join(documents, 'specimen.jpg'));
		const env = { ...options.env, N8N_RESTRICT_FILE_ACCESS_TO: files };
		const n8n = await startN8n({ folder, port: n8nPort, env, signal });
		stops.push(n8n.stop);
		report?.('Setting up the login, the credentials and the example workflows');
		const { api, credential } = await setUp(n8n, sandbox, outside, folder);
		return { sandbox, outside, n8n, api, credential, files, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Where workflows can read and write files, of an n8n with this user folder. */
export function filesFolder(folder: string): string {
	return join(folder, 'files');
}

async function setUp(
	n8n: N8n,
	sandbox: Sandbox,
	outside: Outside,
	folder: string,
): Promise<Pick<Stack, 'api' | 'credential'>> {
	const api = new N8nApi(n8n.url);
	await api.enter(OWNER);
	const values = credentialFor(sandbox, WEBHOOK_SECRET);
	const credential = { ...values, id: await api.saveCredential(values) };
	const smtp = await api.saveCredential(outside.credential);
	const httpHeaderAuth = await api.saveCredential(BACKEND_CREDENTIAL);
	const httpBasicAuth = await api.saveCredential(FORM_CREDENTIAL);
	const n8nApi = await api.saveCredential(await apiKeyCredential(api));
	const examples = await setUpExamples(api, folder, {
		credentials: { [credential.type]: credential.id, smtp, httpHeaderAuth, httpBasicAuth, n8nApi },
		replace: {
			...outside.addresses,
			[API_URL_IN_FILE]: apiUrlOf(api),
			'/home/node/.n8n-files': filesFolder(folder),
		},
	});
	const route = examples.find(({ id }) => id === STARTERS.routeDecisions);
	const trigger = route?.nodes.find(({ type }) => type === TRIGGER_TYPE);
	const webhookUrl = `${n8n.url}/webhook/${trigger?.webhookId}/webhook?secret=${WEBHOOK_SECRET}`;
	const client = new SandboxClient(sandbox);
	// What a customer does in the portal: tells each profile where its results go.
	for (const profile of sandbox.profiles) await client.setProfile(profile, { webhookUrl });
	return { api, credential };
}

/** Values of a credential for the sandbox. */
export function credentialFor(
	{ url, filesUrl, apiKey }: SandboxAddress,
	webhookSecret: string,
): CredentialValues {
	return {
		name: 'Identity Verification API',
		type: 'identityVerificationApi',
		data: { apiKey, baseUrl: url, fileHosts: new URL(filesUrl).host, webhookSecret },
	};
}
