import { setTimeout as sleep } from 'node:timers/promises';

import pMap from 'p-map';

import { DECISIONS, isRecord } from '../../nodes/IdentityVerification/contract';
import { itemsOf, outputsTaken } from '../../dev/stack/execution';
import type { Execution } from '../../dev/stack/execution';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { fuzzedBodies } from '../kit/fuzz/bodies';
import type { Expectation, FuzzedBody } from '../kit/fuzz/bodies';
import { FUZZ_SEED } from '../kit/fuzz/runs';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { MANY_EVENTS, useOwnN8n } from '../kit/n8n/ownN8n';
import { branchNode, triggerNode, workflowOf } from '../kit/n8n/workflow';
import type { Link } from '../kit/n8n/workflow';

const RUNS = Number(process.env.FUZZ_HTTP_RUNS ?? 1_000);
const CONNECTIONS = 4;
const TIMEOUT_MS = 30_000;
const MINUTES = 60_000;
/** When none has come for this long, n8n has stored all executions. */
const QUIET_MS = 5_000;

/** What each expectation is answered with. */
const ANSWERS: Record<Expectation, number[]> = {
	accept: [200],
	review: [200],
	reject: [200],
	ignored: [200],
	refused: [400],
	unparsable: [422],
	any: [200, 400, 422],
};
const REVIEW = DECISIONS.indexOf('review');
const EXPECTATIONS = Object.keys(ANSWERS) as Expectation[];

const n8n = useOwnN8n(MANY_EVENTS);
const sent: { body: FuzzedBody; status: number | string }[] = [];
let workflow: LiveWorkflow;
let executions: Execution[];

/** A trigger for each expectation: what ran shows which bodies started it. */
function fuzzedWorkflow() {
	const parameters = { authentication: 'none' };
	return workflowOf(
		[
			...EXPECTATIONS.map((name) => triggerNode(name, { parameters })),
			...DECISIONS.map((decision) => branchNode(`branch ${decision}`)),
		],
		EXPECTATIONS.flatMap((name) =>
			DECISIONS.map((decision, output): Link => [name, `branch ${decision}`, output]),
		),
	);
}

async function post({ bytes, expectation }: FuzzedBody): Promise<number | string> {
	const request = fetchN8n(workflow.url(expectation), {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: bytes,
		signal: AbortSignal.timeout(TIMEOUT_MS),
	});
	return await request.then(
		({ status }) => status,
		(error: Error) => error.name,
	);
}

function sentAs(expectation: Expectation, ...statuses: number[]) {
	return sent.filter(
		({ body, status }) =>
			body.expectation === expectation &&
			(statuses.length === 0 || statuses.includes(Number(status))),
	);
}

/** n8n 1 answers before it stores an execution, and which of `any` start one is not known. */
async function allExecutions(): Promise<Execution[]> {
	const sure = DECISIONS.flatMap((decision) => sentAs(decision, 200));
	const all = await workflow.newExecutions(sure.length);
	for (;;) {
		await sleep(QUIET_MS);
		const late = await workflow.newExecutions();
		if (late.length === 0) return all;
		all.push(...late);
	}
}

function startedBy(expectation: Expectation): Execution[] {
	return executions.filter(({ data }) => expectation in data);
}

describe(`${RUNS} generated bodies, seed ${FUZZ_SEED} (set FUZZ_SEED to repeat them)`, () => {
	beforeAll(async () => {
		workflow = await LiveWorkflow.start(n8n.api, fuzzedWorkflow());
		const send = async (body: FuzzedBody) => sent.push({ body, status: await post(body) });
		await pMap(fuzzedBodies(RUNS, FUZZ_SEED), send, { concurrency: CONNECTIONS });
		executions = await allExecutions();
	}, 30 * MINUTES);

	it('are each answered as they should be, in time', () => {
		const wrong = sent.filter(
			({ body, status }) => !ANSWERS[body.expectation].includes(Number(status)),
		);

		expect(wrong.map(({ body, status }) => `${status}: ${String(body)}`)).toEqual([]);
		expect(sent).toHaveLength(RUNS);
	});

	it.each(DECISIONS)('start the branch %s each, and no other, when it is theirs', (decision) => {
		const started = startedBy(decision);

		expect(started).toHaveLength(sentAs(decision).length);
		expect(started.length).toBeGreaterThan(RUNS / 50);
		const ran = started.map(({ data }) => Object.keys(data).join(', '));
		expect([...new Set(ran)]).toEqual([`${decision}, branch ${decision}`]);
	});

	it.each<Expectation>(['ignored', 'refused', 'unparsable'])('start nothing when %s', (name) => {
		expect(sentAs(name).length).toBeGreaterThan(0);
		expect(startedBy(name)).toEqual([]);
	});

	it('changed anyhow start the branch of their decision at most', () => {
		const started = startedBy('any');

		expect(started.length).toBeLessThanOrEqual(sentAs('any', 200).length);
		for (const execution of started) {
			const [json] = itemsOf(execution, 'any');
			const output = DECISIONS.findIndex((decision) => decision === json?.decision);
			expect(outputsTaken(execution, 'any')).toEqual([output < 0 ? REVIEW : output]);
		}
	});

	it('leave no failed execution, and n8n as it was', async () => {
		expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
		expect(executions.every(({ data }) => isRecord(data))).toBe(true);
		const { status } = await workflow.send('accept', { event: 'hosted_conclusive' });
		expect(status).toBe(200);
		expect(outputsTaken(await workflow.newExecution(), 'accept')).toEqual([REVIEW]);
	});
});
