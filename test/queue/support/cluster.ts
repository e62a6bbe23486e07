import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startCluster } from '../../../dev/queue/cluster';
import type { Cluster, ProcessName } from '../../../dev/queue/cluster';
import { SandboxClient } from '../../../dev/sandbox/client';
import type { SandboxAddress } from '../../../dev/sandbox/client';
import { OWNER, credentialFor } from '../../../dev/stack/stack';
import { deliverMany } from '../../kit/n8n/delivery/delivery';
import type { Way } from '../../kit/n8n/delivery/delivery';
import { WEBHOOK_SECRET } from '../../kit/settings';

/** n8n in queue mode for the tests of a file, with a sandbox for its results. */
export function useCluster() {
	/** Started before the tests: in Jest itself, the sandbox would be slow. */
	const sandbox = new SandboxClient(
		JSON.parse(process.env.QUEUE_TEST_SANDBOX ?? '') as SandboxAddress,
	);
	let folder: string;
	let cluster: Cluster | undefined;
	let way: Way;
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'identity-verification-queue-'));
		cluster = await startCluster({ folder, owner: OWNER });
		const { api, webhookUrl } = cluster;
		const credentialId = await api.saveCredential(credentialFor(sandbox, WEBHOOK_SECRET));
		way = { sandbox, api, webhookUrl, credentialId, webhookSecret: WEBHOOK_SECRET };
	});
	afterAll(async () => {
		await cluster?.stop();
		await rm(folder, { recursive: true, force: true });
	});
	return {
		sandbox,
		get way() {
			return way;
		},
		/** All that a process has printed since its last start. */
		log: async (name: ProcessName) => await cluster?.log(name),
		async kill(...names: ProcessName[]): Promise<void> {
			for (const name of names) await cluster?.kill(name);
		},
		async restart(...names: ProcessName[]): Promise<void> {
			for (const name of names) await cluster?.restart(name);
		},
		/** Sends so many results, and kills a worker while they arrive. */
		deliverWhileWorkerIsKilled: async (count: number) =>
			await deliverMany(way, {
				name: 'worker-killed',
				count,
				pauseMs: 800,
				secondsEach: 6,
				disturb: async () => await cluster?.kill('worker1'),
				// A worker that starts reads the executions that it had begun, and stores them again some
				// milliseconds later. A result that arrives in between is lost, so all are sent before. See
				// "After a crash" in docs/running.md.
				whenSent: async () => await cluster?.restart('worker1'),
			}),
	};
}
