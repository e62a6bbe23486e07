import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nApi } from '../dev/stack/api';
import type { CredentialValues } from '../dev/stack/api';
import { startN8n } from '../dev/stack/n8n';
import type { N8n } from '../dev/stack/n8n';
import { freePort } from '../dev/stack/ports';
import type { Session } from '../dev/stack/rest';
import { OWNER, credentialFor } from '../dev/stack/stack';
import { installTarball, packPackage } from '../dev/stack/tarball';
import type { Tarball } from '../dev/stack/tarball';
import { SandboxProcess } from './sandboxProcess';

export const WEBHOOK_SECRET = 'webhook-secret-of-the-benchmark';
export const SECRET_HEADER = 'X-Webhook-Secret';

/** n8n, running with the packed package installed. */
export interface RunningN8n {
	n8n: N8n;
	api: N8nApi;
	/** IDs by credential type. */
	credentialIds: Record<string, string>;
}

/** What all sections run on: an installed package, a sandbox, and n8n with any settings. */
export class Bed {
	private session: Session | undefined;

	private constructor(
		readonly folder: string,
		readonly tarball: Tarball,
		/** Where the package is installed. */
		readonly packageFolder: string,
		readonly sandbox: SandboxProcess,
	) {}

	static async open(): Promise<Bed> {
		const folder = await mkdtemp(join(tmpdir(), 'identity-verification-bench-'));
		// Also when the benchmark is interrupted: the images are large.
		process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
		const tarball = await packPackage(join(folder, 'package'));
		const packageFolder = await installTarball(tarball, folder);
		return new Bed(folder, tarball, packageFolder, await SandboxProcess.start());
	}

	/** Folder that n8n may read files from. */
	get files(): string {
		return join(this.folder, 'files');
	}

	/** Runs a task with a newly started n8n, and stops it. */
	async withN8n<Result>(
		env: Record<string, string>,
		task: (running: RunningN8n) => Promise<Result>,
	): Promise<Result> {
		const n8n = await startN8n({
			folder: this.folder,
			port: await freePort(),
			env: {
				N8N_RESTRICT_FILE_ACCESS_TO: this.files,
				// All requests wait while n8n deletes the files of old runs, 15 minutes after its start.
				EXECUTIONS_DATA_PRUNE: 'false',
				...env,
			},
		});
		try {
			const api = new N8nApi(n8n.url, this.session);
			if (!this.session) await api.enter(OWNER);
			this.session = api.session;
			return await task({ n8n, api, credentialIds: await this.saveCredentials(api) });
		} finally {
			await n8n.stop();
		}
	}

	async close(): Promise<void> {
		this.sandbox.stop();
		await rm(this.folder, { recursive: true, force: true });
	}

	private async saveCredentials(api: N8nApi): Promise<Record<string, string>> {
		const ids: Record<string, string> = {};
		for (const values of this.credentials()) ids[values.type] = await api.saveCredential(values);
		return ids;
	}

	private credentials(): CredentialValues[] {
		const credential = credentialFor(this.sandbox, WEBHOOK_SECRET);
		return [
			// The HTTP Request node that the package is compared with uses it, too.
			{ ...credential, data: { ...credential.data, allowedHttpRequestDomains: 'all' } },
			{
				name: 'Webhook header',
				type: 'httpHeaderAuth',
				data: { name: SECRET_HEADER, value: WEBHOOK_SECRET },
			},
		];
	}
}
