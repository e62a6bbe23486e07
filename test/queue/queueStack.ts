import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCluster } from '../../dev/queue/cluster';
import type { Cluster, ProcessName } from '../../dev/queue/cluster';
import { OWNER, credentialFor } from '../../dev/stack/stack';
import type { Sending, Way } from '../kit/delivery/delivery';
import { report } from '../kit/delivery/expectations';
import type { Tally } from '../kit/delivery/tally';
import type { WaitingTally } from '../kit/delivery/waitingTally';
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

/** Sends as `send` does, and meanwhile kills a process of n8n and starts it again. Prints the counts. */
export async function sendWhileKilled<Counts extends Tally | WaitingTally>(
	{ cluster }: QueueStack,
	killed: ProcessName,
	send: (sending: Pick<Sending, 'pauseMs' | 'disturb'>) => Promise<Counts>,
): Promise<Counts> {
	const before = cluster.pids()[killed];
	const tally = await send({
		pauseMs: 800,
		disturb: async () => {
			await cluster.kill(killed);
			await cluster.restart(killed);
		},
	});
	expect(cluster.pids()[killed]).not.toBe(before);
	report(`${killed} killed and started again`, tally);
	return tally;
}
