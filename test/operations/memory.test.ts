import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import type { IExecuteFunctions } from 'n8n-workflow';

import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, downloadOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { CONTINUE } from '../kit/settings';
import { until } from '../kit/until';

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The executions that the node has from now on, of whose contexts nothing may stay reachable. */
function watchExecutions() {
	const contexts: WeakRef<IExecuteFunctions>[] = [];
	const left: number[] = [];
	const { execute } = IdentityVerification.prototype;
	// Jest's own mocks would keep each context.
	IdentityVerification.prototype.execute = async function () {
		contexts.push(new WeakRef(this));
		const canceled = this.getExecutionCancelSignal() as AbortSignal;
		const listeners = () => getEventListeners(canceled, 'abort').length;
		const before = listeners();
		return await execute.call(this).finally(() => left.push(listeners() - before));
	};
	return {
		count: () => contexts.length,
		/** How many listeners each execution has left at the signal of its cancelation. */
		listeners: () => left,
		/** What has just ended is still on its way through queues of Node.js. */
		async untilForgotten() {
			await until('the executions to be forgotten', () => {
				collectGarbage();
				return contexts.every((context) => context.deref() === undefined);
			});
		},
		stop: () => void (IdentityVerification.prototype.execute = execute),
	};
}

let watched: ReturnType<typeof watchExecutions>;
beforeEach(() => (watched = watchExecutions()));
afterEach(() => watched.stop());

const options = { timeout: 3_600 };

const download =
	(more: object = {}) =>
	() =>
		downloadOf(`${sandbox.filesUrl}/files/large?bytes=100000`, {
			parameters: { options: { ...options, ...more } },
			settings: CONTINUE,
		});

describe('an execution that is over is not kept for the Timeout', () => {
	it.each<[string, (() => ActionOptions)[]]>([
		[
			'a scan, also of a stored image and one that is refused',
			[
				() => ({}),
				() => ({ binaryMode: 'filesystem' }),
				() => ({ credential: { apiKey: 'wrong' } }),
				() => ({ credential: { apiKey: 'wrong' }, settings: {} }),
			],
		],
		['a download, also of what is too large', [download(), download({ maxFileSize: 0.01 })]],
	])('after %s', async (_, executions) => {
		for (const execution of executions) {
			await run({ parameters: { options }, settings: CONTINUE, ...execution() });
		}

		expect(watched.listeners()).toEqual(executions.map(() => 0));
		await watched.untilForgotten();
	});

	it('after one that was canceled', async () => {
		let arrived = 0;
		const { url } = await listen(() => (arrived += 1));
		const running = await start({ credential: { baseUrl: url }, parameters: { options } });
		await until('a request', () => arrived === 1);
		running.cancel();
		await running.result;

		expect(watched.count()).toBe(1);
		await watched.untilForgotten();
	});
});

it('base64 text of 20 MB is copied once while it is sent', async () => {
	const heldBytes = () => {
		// What a buffer held is counted until the next time.
		collectGarbage();
		collectGarbage();
		const { heapUsed, external } = process.memoryUsage();
		return heapUsed + external;
	};
	let whileSent = 0;
	const { url } = await listen((request, response) => {
		request.once('data', () => (whileSent = heldBytes()));
		request.resume().on('end', () => response.writeHead(400).end());
	});
	const scan = async (items: { json: { image: string } }[]) =>
		await run({
			items,
			parameters: { documentSource: 'base64', documentBase64: '={{ $json.image }}' },
			credential: { baseUrl: url },
		});
	const items = [{ json: { image: picture(15_000_000).toString('base64') } }];
	await scan([{ json: { image: picture().toString('base64') } }]);

	const before = heldBytes();
	await scan(items);

	expect(whileSent - before).toBeLessThan(30_000_000);
});
