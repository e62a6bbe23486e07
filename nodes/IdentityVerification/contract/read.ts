import type { z } from 'zod/v4';

import { KNOWN_DATA_KEYS } from './vocabulary';

/** Levels of nesting that a body may have. The documented ones have 7; n8n fails at some thousand. */
const MAX_DEPTH = 100;

const MAX_PROBLEMS = 10;

/** Where a body differs from the documented shape. Names documented fields only, never a value. */
export interface Problem {
	/** Such as `warning[2].severity`; empty for the body itself. A free key reads `*`. */
	path: string;
	problem: string;
}

export type Reading<Value> = { ok: true; value: Value } | { ok: false; problems: Problem[] };

/** Reads an unknown body by a schema. Never throws; lists at most ten problems. */
export function read<Schema extends z.ZodTypeAny>(
	schema: Schema,
	body: unknown,
): Reading<z.infer<Schema>> {
	if (isDeeperThan(body, MAX_DEPTH))
		return failure([{ path: '', problem: 'is nested too deeply' }]);
	const reading = schema.safeParse(body);
	if (reading.success) return { ok: true, value: reading.data };
	return failure(
		reading.error.issues.slice(0, MAX_PROBLEMS).map(({ path }) => problemAt(path, body)),
	);
}

/** One line for a list of problems, such as `decision is missing; warning[0].code is missing`. */
export function describeProblems(problems: Problem[]): string {
	return problems.map(({ path, problem }) => `${path || 'the body'} ${problem}`).join('; ');
}

/** Parses JSON that stands in a text; undefined when it is none, or nested too deeply. */
export function parseJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return isDeeperThan(value, MAX_DEPTH) ? undefined : value;
	} catch {
		return undefined;
	}
}

/** Whether the value is a JSON object: no list, no null. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value is a text of the interface, for which a number is tolerated. */
export function isText(value: unknown): value is string | number {
	return typeof value === 'string' || typeof value === 'number';
}

function failure(problems: Problem[]): { ok: false; problems: Problem[] } {
	return { ok: false, problems };
}

function problemAt(path: readonly PropertyKey[], body: unknown): Problem {
	const value = path.reduce<unknown>(
		(parent, key) => (parent as Partial<Record<PropertyKey, unknown>> | undefined)?.[key],
		body,
	);
	const problem = value === undefined ? 'is missing' : 'has another type or value than documented';
	return { path: path.map(segment).join('').replace(/^\./, ''), problem };
}

/** Keys of `data` come from outside; all other keys in a path are the schema's own. */
function segment(key: PropertyKey, index: number, path: readonly PropertyKey[]): string {
	if (typeof key === 'number') return `[${key}]`;
	const isFreeKey = index === 1 && path[0] === 'data';
	const isKnown = (KNOWN_DATA_KEYS as readonly PropertyKey[]).includes(key);
	return isFreeKey && !isKnown ? '.*' : `.${String(key)}`;
}

function isDeeperThan(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	if (levels === 0) return true;
	if (Array.isArray(value)) return value.some((child) => isDeeperThan(child, levels - 1));
	for (const key in value) {
		if (isDeeperThan((value as Record<string, unknown>)[key], levels - 1)) return true;
	}
	return false;
}
