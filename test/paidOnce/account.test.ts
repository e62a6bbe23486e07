import type { IncomingMessage, ServerResponse } from 'node:http';

import type { IExecuteFunctions } from 'n8n-workflow';

import { Accounts } from '../../nodes/IdentityVerification/batch/account';
import type { Outcome } from '../../nodes/IdentityVerification/batch/outcome';
import { nodeError } from '../../nodes/IdentityVerification/errors/nodeErrors';
import type { ConnectedItem, PacedRun } from '../../nodes/IdentityVerification/item';
import type { Done } from '../../nodes/IdentityVerification/operation';
import { actionRunner, documentItems, downloadsOf, jsonOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import type { NodeRun } from '../kit/engine';
import { JSON_TYPE, listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { CONTINUE } from '../kit/settings';
import { until } from '../kit/until';

// A run that is set to continue ends for an account that can't go on.

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

type Answer = 'link' | 'broken' | number;

/** A service for links, which answers in this way; and the options of a run of so many of them. */
async function service(answer: (index: number, request: IncomingMessage) => Answer | 'held') {
	const held: ServerResponse[] = [];
	let requests = 0;
	const server = await listenToEnd((request, response) => {
		const next = answer(requests++, request);
		if (next === 'held') held.push(response);
		else answerWith(response, next);
	});
	const links = (count: number, options: ActionOptions['parameters'] = {}): ActionOptions => ({
		items: Array.from({ length: count }, (_, index) => ({ json: { index } })),
		parameters: {
			operation: 'createHostedLink',
			mode: 1,
			profile: 'sandbox-accept',
			customData: '=applicant-{{ $json.index }}',
			options,
		},
		credential: { baseUrl: server.url },
		settings: CONTINUE,
	});
	return { ...server, held, links };
}

function answerWith(response: ServerResponse, answer: Answer): void {
	if (answer === 'broken') return void response.destroy();
	const body = answer === 'link' ? { reference: 'r-1', url: 'https://example.com/r-1' } : {};
	const headers = answer === 429 ? { ...JSON_TYPE, 'Retry-After': '3600' } : JSON_TYPE;
	response.writeHead(answer === 'link' ? 200 : answer, headers).end(JSON.stringify(body));
}

const ONE_BY_ONE = { maxParallelRequests: 1 };
const messagesOf = (result: NodeRun) => jsonOf(result).map(({ error }) => String(error ?? ''));
const NOT_SENT =
	/^This run sends no more requests to this account: .*\. Nothing was charged for this item \(charge: none\) \[item \d+\]$/;
const notSentOf = (result: NodeRun) =>
	messagesOf(result).filter((message) => NOT_SENT.test(message));

describe('an account that cannot go on', () => {
	it.each([401, 402])('a %i ends the scans of a run, unpaid', async (status) => {
		await sandbox.fault({ on: 'scan', kind: 'status', status, times: 'always' });

		const result = await run({ ...documentItems(100), settings: CONTINUE });

		const sent = (await sandbox.requests()).length;
		expect(sent).toBeLessThanOrEqual(4);
		expect(notSentOf(result)).toHaveLength(100 - sent);
		expect(messagesOf(result).at(-1)).toContain(
			`account: the service answered with status ${status}.`,
		);
	});

	it.each<Answer>([500, 'broken'])('ten of %s in a row end the links of a run', async (answer) => {
		const { asked, links } = await service(() => answer);

		const result = await run(links(100));

		// Four are open at first, and one more after each 500.
		expect(asked()).toBeLessThanOrEqual(10 + 4 + 10);
		expect(notSentOf(result)).toHaveLength(100 - asked());
		expect(messagesOf(result).at(-1)).toContain(
			'account: 10 requests in a row may have been charged.',
		);
	});

	it.each<[string, Answer]>([
		['a link', 'link'],
		['a 400', 400],
	])('nine in a row end nothing before %s', async (_, tenth) => {
		const { asked, links } = await service((index) => (index % 10 === 9 ? tenth : 500));

		const result = await run(links(40, ONE_BY_ONE));

		expect(asked()).toBe(40);
		expect(notSentOf(result)).toEqual([]);
	});

	it('a 429 neither counts nor breaks the row', async () => {
		const { asked, links } = await service((index) => (index === 9 ? 429 : 500));
		const options = links(20, ONE_BY_ONE);
		// The service holds only the profile that it has refused.
		const profile = "={{ 'kyc-' + ($json.index === 9 ? 'refused' : 'standard') }}";

		const result = await run({ ...options, parameters: { ...options.parameters, profile } });

		expect(messagesOf(result)[9]).toContain('status 429');
		expect(asked()).toBe(11);
		expect(notSentOf(result)).toHaveLength(9);
	});

	it('ten more in a row end it, although one before them was paid', async () => {
		const context = { getNode: () => ({}) } as unknown as IExecuteFunctions;
		const place = { context, itemIndex: 0 };
		const service = { baseUrl: sandbox.url, apiKey: 'key', credential: {} };
		const { signal: stopSignal } = new AbortController();
		const account = new Accounts({ stopSignal } as PacedRun).of({ service } as ConnectedItem);
		const error = nodeError(place, { message: 'Broken', advice: '', charge: 'possible' });
		const failed: Outcome = { kind: 'failed', error };
		const rows: Outcome[] = [
			...Array<Outcome>(10).fill(failed),
			{ kind: 'done', done: {} as Done },
		];
		const outcomes = [...rows, ...Array<Outcome>(10).fill(failed)];
		const ends: ((outcome: Outcome) => void)[] = [];
		const send = async () => await new Promise<Outcome>((end) => ends.push(end));

		const open = outcomes.map(async () => await account.send(place, send));
		for (const [index, outcome] of outcomes.entries()) {
			ends[index]?.(outcome);
			await open[index];
		}

		const later = await account.send(place, send);
		expect(later).toMatchObject({ kind: 'failed', error: { context: { charge: 'none' } } });
		expect(ends).toHaveLength(outcomes.length);
	});

	describe('after a 401, while three more are open', () => {
		async function threeOpen(later: (index: number) => Answer = () => 'link') {
			const { held, links, asked } = await service((index) => (index < 4 ? 'held' : later(index)));
			const { result } = await start(links(12));
			await until('four requests', () => held.length === 4);
			const [first, ...others] = held;
			if (first) answerWith(first, 401);
			return { result, others, asked, links };
		}

		it('no more are sent until these have ended', async () => {
			const { result, others, asked, links } = await threeOpen();

			// The request of another run arrives after all that the first one would still have sent.
			await run(links(1));
			expect(asked()).toBe(4 + 1);
			answerWith(others[0] as ServerResponse, 'link');
			await run(links(1));
			expect(asked()).toBe(4 + 2);

			others.slice(1).forEach((response) => answerWith(response, 401));
			expect(notSentOf(await result)).toEqual([]);
			expect(asked()).toBe(12 + 2);
		});

		it.each<Answer>(['link', 400])('the run goes on if one ends with %s', async (answer) => {
			const { result, others, asked } = await threeOpen();

			others.forEach((response, index) => answerWith(response, index === 1 ? answer : 500));

			expect(notSentOf(await result)).toEqual([]);
			expect(asked()).toBe(12);
		});

		it.each<Answer>([401, 402, 500, 'broken', 429])(
			'the rest fails, unpaid, if all end with %s',
			async (answer) => {
				const { result, others, asked } = await threeOpen();

				others.forEach((response) => answerWith(response, answer));

				expect(notSentOf(await result)).toHaveLength(answer === 429 ? 11 : 8);
				expect(asked()).toBe(4);
			},
		);

		it('the run goes on as often as that is so', async () => {
			const { result, others, asked } = await threeOpen((index) => (index === 4 ? 401 : 'link'));

			others.forEach((response) => answerWith(response, 'link'));

			expect(notSentOf(await result)).toEqual([]);
			expect(asked()).toBe(12);
		});

		it('a 401 of those that are sent then ends it after all', async () => {
			const { result, others, asked } = await threeOpen(() => 401);

			others.forEach((response) => answerWith(response, 'link'));

			expect(notSentOf(await result)).toHaveLength(12 - asked());
			// Each link has added one to the four that may be open.
			expect(asked()).toBeLessThanOrEqual(4 + 7);
		});
	});

	it('the other accounts of its run go on', async () => {
		const keys: string[] = [];
		const { links } = await service((_, { headers }) => {
			keys.push(String(headers['x-api-key']));
			return headers['x-api-key'] === 'refused-0' ? 401 : 'link';
		});
		const options = links(60, ONE_BY_ONE);
		const apiKey = '=refused-{{ $json.index % 2 }}';

		const result = await run({ ...options, credential: { ...options.credential, apiKey } });

		expect(notSentOf(result)).toHaveLength(29);
		expect(keys.filter((key) => key === 'refused-1')).toHaveLength(30);
	});

	it('downloads, which cost nothing, are all tried', async () => {
		const { asked, url } = await service(() => 401);

		const result = await run(downloadsOf(20, `${url}/report.pdf`, { settings: CONTINUE }));

		expect(asked()).toBe(20);
		expect(notSentOf(result)).toEqual([]);
	});

	it('gives back the places of Max Paid Requests that the rest had taken', async () => {
		const { asked, links } = await service((index) => (index === 0 ? 401 : 'link'));
		const { items, ...options } = links(3, { ...ONE_BY_ONE, maxPaidRequests: 3 });

		const { runs } = await run({ ...options, items, laterItems: [items ?? []] });

		expect(runs.map(([output = []]) => output.filter(({ json }) => json.reference).length)).toEqual(
			[0, 3],
		);
		expect(asked()).toBe(4);
	});
});
