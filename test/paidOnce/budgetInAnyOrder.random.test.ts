import fc from 'fast-check';

import { actionRunner, agentTool, sandboxCredential } from '../kit/engine/action';
import { callToolOften } from '../kit/engine/agent';
import type { Caller } from '../kit/engine/agent';
import { JSON_TYPE, listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { runs } from '../kit/runs';
import { CONTINUE, retryOnFail } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const LINK = { operation: 'createHostedLink', profile: 'sandbox-accept', mode: 1 };

describe('Max Paid Requests, whatever the service answers', () => {
	const PAUSES = [0, 1, 5];
	/** What the service does, and whether it charges. */
	const KINDS = {
		link: {
			charges: true,
			status: 200,
			body: { reference: 'r-1', url: 'https://example.com/r-1' },
		},
		unreadable: { charges: true, status: 200, body: {} },
		error: { charges: true, status: 500, body: {} },
		broken: { charges: true, status: 0, body: {} },
		refused: { charges: false, status: 400, body: {} },
	};
	const kind = fc.constantFrom<keyof typeof KINDS>(
		...(['link', 'link', 'link', 'unreadable', 'error', 'broken', 'refused'] as const),
	);
	const order = fc.record({
		max: fc.integer({ min: 1, max: 6 }),
		answers: fc.array(fc.tuple(kind, fc.constantFrom(...PAUSES)), { maxLength: 20 }),
		counts: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 3 }),
		maxParallelRequests: fc.integer({ min: 0, max: 4 }),
		tries: fc.integer({ min: 1, max: 3 }),
		continues: fc.boolean(),
		caller: fc.constantFrom<Caller | 'workflow'>('workflow', 'workflow', 'agent 2', 'agent 3'),
	});

	/** A service that answers in this order, then with links. */
	async function serviceOf(answers: [keyof typeof KINDS, number][]) {
		const rest = [...answers];
		let charged = 0;
		const server = await listenToEnd((_, response) => {
			const [name, pauseMs] = rest.shift() ?? ['link', 0];
			const { charges, status, body } = KINDS[name];
			if (charges) charged += 1;
			setTimeout(() => {
				if (status === 0) return response.destroy();
				return response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
			}, pauseMs);
		});
		return { ...server, charged: () => charged };
	}

	it('never pays more in an execution, nor in its Retry', async () => {
		let mostCharged = 0;
		await fc.assert(
			fc.asyncProperty(order, async ({ max, answers, counts, caller, ...rest }) => {
				const service = await serviceOf(answers);
				const { maxParallelRequests, tries, continues } = rest;
				const settings = { ...(tries > 1 && retryOnFail(tries)), ...(continues && CONTINUE) };
				const options = { maxParallelRequests };
				const credential = { baseUrl: service.url };
				if (caller === 'workflow') {
					const parameters = { ...LINK, options: { ...options, maxPaidRequests: max } };
					const [items, ...laterItems] = counts.map((count) =>
						Array.from({ length: count }, () => ({})),
					);
					const shared = { parameters, settings, credential };
					const first = await run({ items, laterItems, ...shared });
					const charged = service.charged();
					if (first.status === 'error') await run({ retryOf: first, ...shared });
					expect(service.charged() - charged).toBeLessThanOrEqual(max);
					mostCharged = Math.max(mostCharged, charged);
					expect(charged).toBeLessThanOrEqual(max);
				} else {
					await callToolOften(caller, {
						tool: agentTool(),
						credential: sandboxCredential(sandbox, credential),
						parameters: { ...LINK, options, maxPaidRequests: max },
						settings,
						calls: 10,
					});
					expect(service.charged()).toBeLessThanOrEqual(max);
				}
				await service.close();
			}),
			{ numRuns: runs(60, 1_000) },
		);
		expect(mostCharged).toBeGreaterThanOrEqual(runs(3, 6));
	}, 300_000);
});
