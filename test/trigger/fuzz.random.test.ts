import { isUtf8 } from 'node:buffer';

import fc from 'fast-check';
import { deepCopy } from 'n8n-workflow';

import { isRecord } from '../../nodes/IdentityVerification/contract/json';
import { DECISIONS } from '../../nodes/IdentityVerification/contract/vocabulary';
import { runs } from '../kit/runs';
import { fuzzedBody } from './support/fuzz/bodies';
import type { Expectation } from './support/fuzz/bodies';
import { knownKeys } from './support/fuzz/results';
import { fuzzedTrigger, parsedByN8n } from './support/fuzz/fuzzedTrigger';
import type { Outcome } from './support/fuzz/fuzzedTrigger';

/** fast-check names the seed of a failure. */
const { FUZZ_SEED } = process.env;

const MINUTES = 60_000;
const SLOW_MICROSECONDS = 10_000_000;

/** What a body's problems and its unreadable fields may be called: the interface's own names. */
const NAMES = ['', '*', ...knownKeys];

const OUTPUTS = ['simplified', 'raw', 'decisionOnly'];
const triggers = OUTPUTS.map((output) => ({ output, send: fuzzedTrigger({ output }) }));
const builtIns = Object.getOwnPropertyNames(Object.prototype).sort();

afterEach(() => {
	expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(builtIns);
	expect({}).not.toHaveProperty('polluted');
});

it(
	'every body starts its own output, or gets an answer below 500 and starts nothing',
	async () => {
		let turn = 0;
		const property = fc.asyncProperty(fuzzedBody, async ({ bytes, expectation }) => {
			const parsed = parsedByN8n(bytes);
			if (parsed === 'unparsable') {
				expect(expectation).toBe('any');
				return;
			}
			const { output, send } = triggers[turn++ % triggers.length] as (typeof triggers)[number];
			const start = process.cpuUsage();
			const outcome = await send(bytes);

			const { user, system } = process.cpuUsage(start);
			expect(user + system).toBeLessThan(SLOW_MICROSECONDS);
			expect(summaryOf(outcome)).toEqual(expectedOf(expectation, { bytes, ...parsed }, outcome));
			expectNoEcho(outcome.refusal);
			expectStorable(outcome);
			if (output !== 'raw') expectKnownNames(outcome);
		});
		await fc.assert(property, {
			numRuns: runs(600, 20_000),
			...(FUZZ_SEED && { seed: Number(FUZZ_SEED) }),
			includeErrorInReport: true,
			// Once a failure is found, shrinking a long body takes too long: it is cut short.
			interruptAfterTimeLimit: 18 * MINUTES,
			markInterruptAsFailure: true,
		});
	},
	20 * MINUTES,
);

interface Summary {
	status: number;
	/** The outputs that have an item. */
	started: number[];
}

function summaryOf({ status, started = [] }: Outcome): Summary {
	const outputs = started.flatMap((items, output) => (items ?? []).map(() => output));
	return { status, started: outputs };
}

interface Sent {
	bytes: Buffer;
	body: unknown;
}

function expectedOf(expectation: Expectation, sent: Sent, outcome: Outcome): Summary {
	switch (expectation) {
		case 'any':
			return plausible(sent, summaryOf(outcome));
		case 'ignored':
			return { status: 200, started: [] };
		default:
			return { status: 200, started: [outputOf(expectation, sent)] };
	}
}

/** All that can be said of a body that was changed blindly. */
function plausible(sent: Sent, { status }: Summary): Summary {
	if (status !== 200) return { status: 400, started: [] };
	const { event, decision, success, error } = isRecord(sent.body) ? sent.body : {};
	if (event !== 'hosted_conclusive') return { status, started: [] };
	const isTrusted =
		[undefined, null, true].some((value) => value === success) &&
		[undefined, null, false, ''].some((value) => value === error);
	const isDistrusted = decision === 'accept' && !isTrusted;
	return { status, started: [outputOf(isDistrusted ? undefined : decision, sent)] };
}

/** A body in which something has to be replaced goes to a person. */
function outputOf(decision: unknown, { bytes, body }: Sent): number {
	const isWhole = isUtf8(bytes) && isStorable(body);
	return Math.max(
		0,
		DECISIONS.findIndex((documented) => isWhole && documented === decision),
	);
}

function isStorable(value: unknown, levels = 100): boolean {
	if (typeof value === 'number') return Number.isFinite(value);
	if (typeof value !== 'object' || value === null) return true;
	return levels > 0 && Object.values(value).every((part) => isStorable(part, levels - 1));
}

function expectNoEcho(refusal: unknown): void {
	if (refusal === undefined) return;
	const { problems = [], ...rest } = refusal as { problems?: Record<string, string>[] };
	expect(rest).toEqual({ error: 'Not a readable webhook' });
	for (const problem of problems) {
		expect(Object.keys(problem).sort()).toEqual(['path', 'problem']);
		expect(problem.problem).toMatch(/^(is|has) [a-z A-Z]+$/);
		expect(NAMES).toContain(problem.path);
	}
}

/** What could not be read is named by the interface's names, and never by what was received. */
function expectKnownNames({ started = [] }: Outcome): void {
	const items = started.flatMap((items) => items ?? []);
	const named = items.flatMap(({ json }) => (json.unreadable ?? []) as string[]);
	expect(named.filter((name) => !NAMES.includes(name))).toEqual([]);
	expect(new Set(named).size).toBe(named.length);
}

/** n8n copies items, and writes them to its database as JSON. */
function expectStorable({ started = [] }: Outcome): void {
	for (const item of started.flatMap((items) => items ?? [])) {
		expect(isRecord(JSON.parse(JSON.stringify(deepCopy(item.json))))).toBe(true);
	}
}
