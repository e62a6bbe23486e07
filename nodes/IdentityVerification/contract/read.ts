import type { z } from 'zod/v4';

import { isRecord } from './json';
import type { Body } from './json';
import { KNOWN_DATA_KEYS } from './vocabulary';

/** How deeply a body may be nested. The documented ones have 7 levels; n8n can't store thousands. */
const MAX_DEPTH = 100;

/** How many values of a field are read: a result has hundreds, and each can become a problem. */
const MAX_FIELD_VALUES = 10_000;

/** Replaces a field beyond these limits. No documented field may be a list within a list. */
export const LEFT_OUT = [['Left out: this field is nested too deeply or has too many values']];

/** Limit on the listed paths of unreadable parts. */
export const MAX_UNREADABLE = 100;

/** Where a body differs from the documented shape. Names documented fields only, never a value. */
export interface Problem {
	/** Such as `warning[2].severity`; empty for the body itself. A free key reads `*`. */
	path: string;
	problem: string;
}

type Unread = { ok: false; problems: Problem[] };

/** A value, or why it can't be read. */
export type Reading<Value> = { ok: true; value: Value } | Unread;

/** A body, as far as it could be read. */
export interface Received<Value> {
	/** Without the parts that could not be read. */
	value: Value;
	/** Paths of these parts, like those of problems; a hundred at most. */
	unreadable: string[];
	/** As received, except for fields nested too deeply for n8n to store. Trust depends on it. */
	body: Body;
	/** Whether it is an answer with a status of success other than the documented 200 (interface.md#errors). */
	hasOtherStatus?: boolean;
}

export type LenientReading<Value> = ({ ok: true } & Received<Value>) | Unread;

/** The problem of a body that isn't an object. */
export const NO_OBJECT: Problem = { path: '', problem: 'is not a JSON object' };

/**
 * Reads an unknown body by the schema of an object, and leaves out the parts that can't be read.
 * Never throws; fails only if the body is no object, or a part that the schema or `strict` requires can't be read.
 * @param strict top-level fields that may be missing, but not unreadable
 */
export function readLeniently<Schema extends z.ZodObject>(
	schema: Schema,
	received: unknown,
	strict: readonly string[] = [],
): LenientReading<z.infer<Schema>> {
	if (!isRecord(received)) return { ok: false, problems: [NO_OBJECT] };
	const counts = Object.entries(received).map(([key, value]) => [key, countValues(value)] as const);
	const keysOver = (limit: number) => counts.flatMap(([key, count]) => (count > limit ? key : []));
	const body = withNotes(received, keysOver(Number.MAX_VALUE));
	const readable = withNotes(body, keysOver(MAX_FIELD_VALUES));
	const paths = problemPaths(schema, readable);
	// Not zod's copy, which would inherit what is under a key `__proto__`.
	const value = without(readable, paths);
	const required = paths.length > 0 ? problemPaths(schema, value).map(([key]) => key) : [];
	const needed = new Set([...required, ...strict]);
	const refused = paths.filter(([key]) => needed.has(key));
	if (refused.length > 0) {
		return { ok: false, problems: refused.map((path) => problemAt(body, path)) };
	}
	const unreadable = [...new Set(paths.map(nameOf))].slice(0, MAX_UNREADABLE);
	return { ok: true, value: value as z.infer<Schema>, unreadable, body };
}

/** One line for a list of problems, such as `decision is missing; warning[0].code is missing`. */
export function describeProblems(problems: Problem[]): string {
	return problems.map(({ path, problem }) => `${path || 'the body'} ${problem}`).join('; ');
}

/** Whether the value isn't nested too deeply for n8n to store. */
export function isStorable(value: unknown): boolean {
	return countValues(value) !== Infinity;
}

type Path = readonly PropertyKey[];

function problemPaths(schema: z.ZodObject, body: Body): Path[] {
	const issues = schema.safeParse(body).error?.issues ?? [];
	return issues.map(({ path }) => (body[String(path[0])] === LEFT_OUT ? path.slice(0, 1) : path));
}

function withNotes(body: Body, keys: string[]): Body {
	return { ...body, ...Object.fromEntries(keys.map((key) => [key, LEFT_OUT])) };
}

/** Counts a value and all that it contains; Infinity if it is nested more deeply than `levels`. */
function countValues(value: unknown, levels = MAX_DEPTH - 1): number {
	if (typeof value !== 'object' || value === null) return 1;
	if (levels === 0) return Infinity;
	let count = 1;
	for (const child of Object.values(value)) count += countValues(child, levels - 1);
	return count;
}

/** A copy without what is at these paths. Later list entries move up. */
function without<Value>(value: Value, paths: Path[]): Value {
	if (paths.length === 0 || typeof value !== 'object' || value === null) return value;
	const pathsBelow = new Map<string, Path[]>();
	for (const [key, ...rest] of paths) {
		const below = pathsBelow.get(String(key)) ?? [];
		below.push(rest);
		pathsBelow.set(String(key), below);
	}
	const kept = Object.entries(value).flatMap(([key, child]: [string, unknown]) => {
		const below = pathsBelow.get(key) ?? [];
		return below.some((path) => path.length === 0) ? [] : [[key, without(child, below)]];
	});
	const copy = Array.isArray(value) ? kept.map(([, child]) => child) : Object.fromEntries(kept);
	return copy as Value;
}

function problemAt(body: Body, path: Path): Problem {
	const isMissing = path.length === 1 && body[String(path[0])] === undefined;
	const problem = isMissing ? 'is missing' : 'has an undocumented type or value';
	return { path: nameOf(path), problem };
}

function nameOf(path: Path): string {
	return path.map(segment).join('').replace(/^\./, '');
}

/** Keys of `data` come from outside; all other keys in a path are the schema's own. */
function segment(key: PropertyKey, index: number, path: Path): string {
	if (typeof key === 'number') return `[${key}]`;
	const isFreeKey = index === 1 && path[0] === 'data';
	const name = String(key);
	return isFreeKey && !KNOWN_DATA_KEYS.includes(name) ? '.*' : `.${name}`;
}
