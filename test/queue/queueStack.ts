import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCluster } from '../../dev/queue/cluster';
import type { Cluster } from '../../dev/queue/cluster';
import { OWNER, credentialFor } from '../../dev/stack/stack';
import type { Way } from '../kit/delivery/delivery';
import { openSandbox } from './handle';

const WEBHOOK_SECRET = 'webhook-secret-of-the-tests';

/** n8n in queue mode beside the sandbox, with a credential for it. */
export interface QueueStack extends Way {
	cluster: Cluster;
	stop(): Promise<void>;
}

export async function startQueueStack(): Promise<QueueStack> {
	const folder = await mkdtemp(join(tmpdir(), 'identity-verification-queue-'));
	const stops = [async () => await rm(folder, { recursive: true, force: true })];
	const stop = async () => {
		for (const end of stops.splice(0).reverse()) await end();
	};
	try {
		const sandbox = openSandbox();
		const cluster = await startCluster({ folder, owner: OWNER });
		stops.push(cluster.stop);
		const { api, webhookUrl } = cluster;
		const credentialId = await api.saveCredential(credentialFor(sandbox, WEBHOOK_SECRET));
		const webhookSecret = WEBHOOK_SECRET;
		return { sandbox, cluster, api, webhookUrl, credentialId, webhookSecret, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}
