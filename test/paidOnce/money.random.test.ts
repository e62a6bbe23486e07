import type { ServerResponse } from 'node:http';

import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { actionRunner, agentTool, documentItem, sandboxCredential } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import type { NodeRun } from '../kit/engine';
import { callToolOften } from '../kit/engine/agent';
import type { Caller } from '../kit/engine/agent';
import { JSON_TYPE, listen } from '../kit/service/httpServer';
import { picture } from '../kit/data/picture';
import { useSandbox } from '../kit/service/sandbox';
import { runs } from '../kit/runs';
import { CONTINUE, retryOnFail } from '../kit/settings';

// Whatever a service answers, and whatever a user does then: nothing is paid twice, nothing that was
// read is lost, and no claim about a charge is false.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

/** What users can know of a request: that it is paid, that it cost nothing, or neither. */
type Known = 'paid' | 'free' | 'unknown';

interface Answer {
	known: Known;
	status?: number;
	headers?: Record<string, string>;
	/** Missing if nothing is sent. */
	body?: (result: string) => string;
	/** Whether its end never arrives. */
	isCut?: true;
}

const HOUR = { 'Retry-After': '3600' };

/** How a service can answer. */
const ANSWERS = {
	whole: { known: 'paid', body: (result) => result },
	withoutEnd: { known: 'paid', body: (result) => result, isCut: true },
	afterText: { known: 'paid', body: (result) => `<b>Warning</b>: on line 12\n${result}` },
	beforeText: { known: 'paid', body: (result) => `${result}\n<!-- proxy -->` },
	half: { known: 'unknown', body: (result) => result.slice(0, result.length / 2), isCut: true },
	twice: { known: 'unknown', body: (result) => result + result },
	failure: { known: 'unknown', body: () => '{"success":false,"error":"failed"}' },
	serverError: { known: 'unknown', status: 500, body: () => '{}' },
	badGateway: { known: 'unknown', status: 502, body: () => '<h1>Bad gateway</h1>' },
	dead: { known: 'unknown' },
	refused: { known: 'free', status: 400, body: () => '{}' },
	noKey: { known: 'free', status: 401, body: () => '{}' },
	noCredits: { known: 'free', status: 402, body: () => '{"credit":0}' },
	tooMany: { known: 'free', status: 429, headers: HOUR, body: () => '{}' },
	pause: { known: 'free', status: 503, headers: HOUR, body: () => '{}' },
} satisfies Record<string, Answer>;

type AnswerName = keyof typeof ANSWERS;

interface Reply {
	name: AnswerName;
	/** Whether it charges if users can't know. */
	charges: boolean;
	/** Whether its result is the one that was sent before. */
	isRepeated: boolean;
	afterMs: number;
}

const WHOLE: Reply = { name: 'whole', charges: true, isRepeated: false, afterMs: 0 };

interface SentRequest {
	execution: number;
	/** Undefined if an agent's tool has sent it. */
	item: number | undefined;
	known: Known;
	isCharged: boolean;
	/** The ID of the result. */
	id: string;
	/** What the answer says. */
	credit: number | undefined;
}

/** A service that answers in this way, one request after the other, and then with results. */
class RandomService {
	readonly requests: SentRequest[] = [];

	/** Which execution runs. */
	execution = 0;

	isHealthy = false;

	private readonly replies: Reply[];

	private credits = 25;

	private id = '';

	constructor(replies: Reply[]) {
		this.replies = [...replies];
	}

	async listen() {
		return await listen((request, response) => {
			const chunks: Buffer[] = [];
			request.on('data', (chunk: Buffer) => chunks.push(chunk));
			request.on('end', () => {
				const { item } = JSON.parse(Buffer.concat(chunks).toString()) as { item?: number };
				this.answer(response, item, (!this.isHealthy && this.replies.shift()) || WHOLE);
			});
		});
	}

	private answer(response: ServerResponse, item: number | undefined, reply: Reply): void {
		const { known, status = 200, headers, body, isCut }: Answer = ANSWERS[reply.name];
		const isCharged = known === 'paid' || (known === 'unknown' && reply.charges);
		if (isCharged) this.credits -= 1;
		if (!reply.isRepeated || !this.id) this.id = `id-${this.requests.length}`;
		const { id, credits, execution } = this;
		const isResult = body !== undefined && known === 'paid';
		const credit = reply.name === 'noCredits' ? 0 : isResult ? credits : undefined;
		this.requests.push({ execution, item, known, isCharged, id, credit });
		const result = { decision: 'accept', transactionId: id, reference: id, credit: credits };
		const text = body?.(JSON.stringify({ ...result, url: `https://example.com/${id}` }));
		setTimeout(() => {
			if (text === undefined) return void response.destroy();
			response.writeHead(status, { ...JSON_TYPE, ...headers });
			if (!isCut) return void response.end(text);
			return void response.write(text, () => setTimeout(() => response.destroy(), 2));
		}, reply.afterMs);
	}
}

const replies = fc.array(
	fc.record<Reply>({
		name: fc.oneof(
			{ weight: 2, arbitrary: fc.constant<AnswerName>('whole') },
			{ weight: 3, arbitrary: fc.constantFrom(...(Object.keys(ANSWERS) as AnswerName[])) },
		),
		charges: fc.boolean(),
		isRepeated: fc.boolean(),
		afterMs: fc.constantFrom(0, 0, 1, 5, 20),
	}),
	{ maxLength: 30 },
);

const limits = {
	maxPaidRequests: fc.option(fc.integer({ min: 1, max: 8 }), { nil: undefined }),
	stopBelowCredits: fc.option(fc.integer({ min: 18, max: 24 }), { nil: undefined }),
	maxParallelRequests: fc.constantFrom(0, 1, 1, 4),
};

const settings = fc
	.record({ tries: fc.integer({ min: 1, max: 3 }), continues: fc.boolean() })
	.map(({ tries, continues }) => ({
		...(tries > 1 && retryOnFail(tries)),
		...(continues && CONTINUE),
	}));

const MARK = / \(charge: (none|possible)\)(?: \[item (\d+)\])?$/;

/** What the message of an error says about the charge, and of which item. */
function claimOf(message: unknown) {
	const [, charge, item] = MARK.exec(String(message)) ?? [];
	return { charge, item: item === undefined ? undefined : Number(item) };
}

describe('whatever a service answers', () => {
	/** The first item of each run of the node, and of the next one. */
	const offsetsOf = (counts: number[]) => {
		const offsets = [0];
		for (const count of counts) offsets.push((offsets.at(-1) ?? 0) + count);
		return offsets;
	};

	/** What users are told after an execution, against all that the service knows. */
	function expectTruth({ requests }: RandomService, counts: number[], result: NodeRun): void {
		const offsets = offsetsOf(counts);
		const of = (item: number) => requests.filter((request) => request.item === item);
		const paidId = (item: number) => of(item).find(({ known }) => known === 'paid')?.id;
		const isUnsure = (item: number) =>
			paidId(item) === undefined && of(item).some(({ known }) => known === 'unknown');
		result.runs.forEach(([output = []], round) => {
			const first = offsets[round] ?? 0;
			output.forEach(({ json }, index) => {
				const item = first + index;
				const { error, transactionId, reference } = json;
				if (error === undefined) return expect(transactionId ?? reference).toBe(paidId(item));
				expect(paidId(item)).toBeUndefined();
				return expect(claimOf(error)).toEqual({
					charge: isUnsure(item) ? 'possible' : 'none',
					item: index,
				});
			});
		});
		if (result.status !== 'error') return;
		const round = result.runs.length - 1;
		const [first = 0, next = 0] = offsets.slice(round);
		const items = Array.from({ length: next - first }, (_, index) => first + index);
		const { message, description } = result.error ?? {};
		expect(claimOf(message).charge).toBe(items.some(isUnsure) ? 'possible' : 'none');
		for (const id of items.map(paidId)) {
			if (id !== undefined) expect(description).toContain(id);
		}
	}

	/** Of what an execution has sent, and those before it of which it is a Retry. */
	function expectPaidOnce({ requests, execution }: RandomService, max: number | undefined): void {
		const now = requests.filter((request) => request.execution === execution);
		const counted = now.filter(({ known }) => known !== 'free');
		expect(counted.length).toBeLessThanOrEqual(max ?? Infinity);
		expect(new Set(counted.map(({ item }) => item)).size).toBe(counted.length);
		requests.forEach(({ item, known }, index) => {
			if (known !== 'paid') return;
			expect(requests.slice(index + 1).map((later) => later.item)).not.toContain(item);
		});
	}

	/** If one request is sent after the other, none is after the first answer that says too few credits. */
	function expectStopped({ requests, execution }: RandomService, min: number | undefined): void {
		const now = requests.filter((request) => request.execution === execution);
		const low = now.findIndex(({ credit = Infinity }) => credit < (min ?? 0));
		if (low >= 0) expect(now).toHaveLength(low + 1);
	}

	it('nothing is paid twice or lost, and what users are told is true', async () => {
		const document = picture();
		const often = { retried: 0, charged: 0 };
		const scenario = fc.record({
			replies,
			operation: fc.constantFrom('scan', 'createHostedLink'),
			counts: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 3 }),
			executions: fc.array(fc.record({ ...limits, settings }), { minLength: 1, maxLength: 3 }),
		});
		await fc.assert(
			fc.asyncProperty(scenario, async ({ replies, operation, counts, executions }) => {
				const service = new RandomService(replies);
				const server = await service.listen();
				const offsets = offsetsOf(counts);
				const [items, ...laterItems] = counts.map((count, round) =>
					Array.from({ length: count }, (_, index) => ({
						...documentItem(document),
						json: { index: (offsets[round] ?? 0) + index },
					})),
				);
				const runWith = async (options: IDataObject, more: ActionOptions) =>
					await run({
						credential: { baseUrl: server.url },
						parameters: {
							...{ operation, mode: 1, customData: '=applicant-{{ $json.index }}' },
							options: {
								...options,
								additionalRequestFields: '={{ JSON.stringify({ item: $json.index }) }}',
							},
						},
						...more,
					});
				let last: NodeRun | undefined;
				for (const { settings: ofNode, ...options } of executions) {
					if (last && last.status !== 'error') break;
					if (last) often.retried += 1;
					const origin = last ? { retryOf: last } : { items, laterItems };
					last = await runWith({ ...options }, { settings: ofNode, ...origin });
					expectPaidOnce(service, options.maxPaidRequests);
					if (operation === 'scan' && options.maxParallelRequests === 1) {
						expectStopped(service, options.stopBelowCredits);
					}
					expectTruth(service, counts, last);
					service.execution += 1;
				}
				service.isHealthy = true;
				if (last?.status === 'error') {
					last = await runWith({}, { retryOf: last });
					expect(last.status).toBe('success');
					expectPaidOnce(service, undefined);
					expectTruth(service, counts, last);
				}
				often.charged += service.requests.filter(({ isCharged }) => isCharged).length;
				await server.close();
			}),
			// Enough that chance alone doesn't miss what is expected below.
			{ numRuns: runs(60, 1_000) },
		);
		expect(often.retried).toBeGreaterThan(runs(5, 100));
		expect(often.charged).toBeGreaterThan(runs(100, 3_000));
	}, 900_000);

	it('an agent pays no more than it may, and what its model is told is true', async () => {
		const scenario = fc.record({
			replies,
			settings,
			caller: fc.constantFrom<Caller>('agent 2', 'agent 3'),
			max: fc.integer({ min: 1, max: 6 }),
		});
		await fc.assert(
			fc.asyncProperty(scenario, async ({ replies, settings, caller, max }) => {
				const service = new RandomService(replies);
				const server = await service.listen();
				const answers = await callToolOften(caller, {
					tool: agentTool(),
					credential: sandboxCredential(sandbox, { baseUrl: server.url }),
					parameters: {
						...{ operation: 'createHostedLink', profile: 'sandbox-accept', mode: 1 },
						maxPaidRequests: max,
					},
					settings,
					calls: 10,
				});
				const count = (known: Known) =>
					service.requests.filter((request) => request.known === known).length;
				const told = (text: string) => answers.filter((answer) => answer.includes(text)).length;
				expect(answers).toHaveLength(10);
				expect(told('"reference"')).toBe(count('paid'));
				expect(told('(charge: possible)')).toBe(count('unknown'));
				expect(told('(charge: none)')).toBe(10 - count('paid') - count('unknown'));
				expect(count('paid') + count('unknown')).toBeLessThanOrEqual(max);
				await server.close();
			}),
			{ numRuns: runs(20, 300) },
		);
	}, 600_000);
});
