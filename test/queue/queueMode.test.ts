import type { ProcessName } from '../../dev/queue/cluster';
import { deliver } from '../kit/delivery/delivery';
import { expectRunAgain, report } from '../kit/delivery/expectations';
import type { Tally } from '../kit/delivery/tally';
import { runRetriedScans, runScanFlow, runTriggerFlow } from './flows';
import { sendWhileKilled, startQueueStack } from './queueStack';
import type { QueueStack } from './queueStack';

const WORKERS = ['worker1', 'worker2'] as const;

let stack: QueueStack;

beforeAll(async () => {
	stack = await startQueueStack();
});

afterAll(async () => await stack?.stop());

/** The processes that ran an execution. */
async function ranIn(executionId: string): Promise<ProcessName[]> {
	const names = ['main', 'webhook', ...WORKERS] as const;
	const logs = await Promise.all(names.map(stack.cluster.log));
	return names.filter((_, index) =>
		logs[index]?.includes(`Worker started execution ${executionId} `),
	);
}

async function deliverWhileKilled(killed: ProcessName, count: number): Promise<Tally> {
	const name = `${killed}-killed`;
	return await sendWhileKilled(
		stack,
		killed,
		async (sending) => await deliver(stack, { name, count, secondsEach: 1, ...sending }),
	);
}

describe('the nodes in queue mode', () => {
	it('scan a file that another process received, and attach files that main can show', async () => {
		const { execution, scanned, sentSha256, documentMode, attached } = await runScanFlow(stack);
		expect(execution.status).toBe('success');
		expect(WORKERS).toContain((await ranIn(execution.id)).join());
		expect(scanned).toMatchObject({ decision: 'accept' });
		expect(sentSha256.received).toBe(sentSha256.sent);
		expect(documentMode).toBe('database');
		expect(Object.keys(attached).sort()).toEqual(['face', 'file_0', 'front']);
		expect(attached.file_0?.subarray(0, 5).toString()).toBe('%PDF-');
		expect(attached.front?.subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
	});

	it('pay nothing again when a failed execution is retried', async () => {
		const { failed, passed, scanned, billed } = await runRetriedScans(stack);
		expect([failed.status, passed.status]).toEqual(['error', 'success']);
		expect(WORKERS).toContain((await ranIn(passed.id)).join());
		expect(new Set(scanned.map(({ transactionId }) => transactionId)).size).toBe(3);
		expect(billed).toBe(3);
	});

	it('receive a result, route it by its decision and attach its report', async () => {
		const { execution, branches, attached } = await runTriggerFlow(stack, 'aml');
		expect(execution.status).toBe('success');
		expect(WORKERS).toContain((await ranIn(execution.id)).join());
		expect(branches).toEqual(['Reject']);
		expect(attached.file_0?.subarray(0, 5).toString()).toBe('%PDF-');
	});
});

describe('Events at 16 connections in queue mode', () => {
	it('are each executed exactly once, by both workers', async () => {
		const before = await Promise.all(WORKERS.map(stack.cluster.log));
		const tally = await deliver(stack, { name: 'undisturbed', count: 300 });
		report('Undisturbed', tally);
		expect(tally.problems).toEqual([]);
		expect(tally.unanswered).toEqual([]);
		expect(tally.statuses).toEqual({ success: 300 });
		for (const [index, worker] of WORKERS.entries()) {
			const log = (await stack.cluster.log(worker)).slice(before[index]?.length);
			expect(log).toContain('Worker finished execution');
		}
	});

	it('are all kept when a worker is killed, and the interrupted ones can be run again', async () => {
		const tally = await deliverWhileKilled('worker1', 300);
		expect(tally.problems).toEqual([]);
		expect(tally.unanswered).toEqual([]);
		expect(tally.interrupted).not.toEqual([]);
		await expectRunAgain(stack.api, tally);
	});

	it('are all answered and executed while the main process is killed', async () => {
		const tally = await deliverWhileKilled('main', 300);
		expect(tally.problems).toEqual([]);
		expect(tally.unanswered).toEqual([]);
		await expectRunAgain(stack.api, tally);
	});

	it('arrive by being resent when the webhook processor was killed', async () => {
		const tally = await deliverWhileKilled('webhook', 200);
		expect(tally.problems).toEqual([]);
		expect(tally.unanswered).not.toEqual([]);
		await expectRunAgain(stack.api, tally);
	});
});
