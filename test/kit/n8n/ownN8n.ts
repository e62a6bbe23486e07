import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nApi } from '../../../dev/stack/api';
import { startN8n } from '../../../dev/stack/n8n';
import type { N8n } from '../../../dev/stack/n8n';
import { freePort } from '../../../dev/stack/ports';
import { OWNER } from '../../../dev/stack/stack';
import { installTarball, packPackage } from '../../../dev/stack/tarball';
import { PATIENCE } from './n8nSettings';

/**
 * For tests with many events: otherwise n8n makes an isolate for expressions at each of them, which
 * takes several times as long as the rest of the event.
 */
export const MANY_EVENTS = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };

export interface OwnN8n {
	readonly api: N8nApi;
	/** Without a trailing slash. */
	readonly url: string;
	/** n8n's user folder. */
	readonly folder: string;
	/** Ends n8n and starts it again with these settings. */
	restart(env: Record<string, string>): Promise<void>;
	/** Kills n8n and starts it again with the settings that it had. */
	crash(): Promise<void>;
}

/**
 * An n8n for the tests of one file, that has stored nothing yet.
 * @param env its settings, which may depend on its address and its user folder
 */
export function useOwnN8n(
	env: Record<string, string> | ((url: string, folder: string) => Record<string, string>),
): OwnN8n {
	let folder = '';
	let port = 0;
	let settings: Record<string, string> = {};
	let n8n: N8n | undefined;
	let api: N8nApi;
	const start = async () => await startN8n({ folder, port, env: { ...PATIENCE, ...settings } });
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'identity-verification-own-n8n-'));
		await installTarball(await packPackage(join(folder, 'package')), folder);
		port = await freePort();
		settings = typeof env === 'function' ? env(`http://127.0.0.1:${port}`, folder) : env;
		n8n = await start();
		api = new N8nApi(n8n.url);
		await api.enter(OWNER);
	});
	afterAll(async () => {
		await n8n?.stop();
		await rm(folder, { recursive: true, force: true });
	});
	return {
		get api() {
			return api;
		},
		get url() {
			return `http://127.0.0.1:${port}`;
		},
		get folder() {
			return folder;
		},
		async restart(changed) {
			await n8n?.stop();
			settings = changed;
			n8n = await start();
		},
		async crash() {
			await n8n?.kill();
			n8n = await start();
		},
	};
}
