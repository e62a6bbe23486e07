import type { z } from 'zod/v4';

import { KNOWN_DATA_KEYS } from './vocabulary';

/** Levels of nesting that a body may have. The documented ones have 7; n8n fails at some thousand. */
const MAX_DEPTH = 100;

/** How many values are read in any case. A result has some hundred; each can become a problem. */
const MAX_VALUES = 100_000;

/** How many values one field at the top may have in a body with more. */
const MAX_FIELD_VALUES = 10_000;

/** How many paths of unreadable values are listed at most. */
export const MAX_UNREADABLE = 100;

/** Where a body differs from the documented shape. Names documented fields only, never a value. */
export interface Problem {
	/** Such as `warning[2].severity`; empty for the body itself. A free key reads `*`. */
	path: string;
	problem: string;
}

type Body = Record<string, unknown>;

type Unread = { ok: false; problems: Problem[] };

export type Reading<Value> = { ok: true; value: Value } | Unread;

/** A body, as far as it could be read. */
export interface Received<Value> {
	/** Without the parts that could not be read. */
	value: Value;
	/** Paths of these parts, like those of problems; a hundred at most. */
	unreadable: string[];
	/** All of it, as received: what trust rests on. */
	body: Body;
	/** What n8n can store of the body, where that isn't all, and the names of the fields left out. */
	storable?: { body: Body; leftOut: string[] };
}

export type LenientReading<Value> = ({ ok: true } & Received<Value>) | Unread;

/** The problem of a body that is something else than an object. */
export const NO_OBJECT: Problem = { path: '', problem: 'is not a JSON object' };

/**
 * Reads an unknown body by the schema of an object, and leaves out what can't be read, is nested too
 * deeply, or is too much. Never throws; fails only where the body is no object, or where something
 * can't be read that the schema requires or `strict` names.
 * @param strict fields at the top that can't be left out, although they may be missing
 */
export function readLeniently<Schema extends z.ZodObject>(
	schema: Schema,
	body: unknown,
	strict: readonly string[] = [],
): LenientReading<z.infer<Schema>> {
	if (!isRecord(body)) return unread([NO_OBJECT]);
	const { tooDeep, tooLarge } = excessOf(body);
	const isStrict = ([key]: Path) => strict.some((name) => name === key);
	const excess = [...tooDeep, ...tooLarge].map((key) => [key]);
	if (excess.some(isStrict)) return unread(problemsAt(excess.filter(isStrict), body));
	const nameOfField = (key: string) => (Object.hasOwn(schema.shape, key) ? key : '*');
	const names = new Set(excess.flat().map(nameOfField));
	let value = withoutKeys(body, excess.flat());
	for (;;) {
		// zod's own copy of an object would inherit what stands under a key `__proto__`.
		const { error } = schema.safeParse(value);
		if (!error) break;
		const paths = pathsOf(error);
		if (paths.some(isStrict)) return unread(problemsAt(paths.filter(isStrict), body));
		const rest = without(value, paths);
		if (!rest) return unread(problemsAt(paths, body));
		paths.forEach((path) => names.add(nameOf(path)));
		value = rest;
	}
	const unreadable = [...names].slice(0, MAX_UNREADABLE);
	const reading = { ok: true as const, value: value as z.infer<Schema>, unreadable, body };
	if (tooDeep.length === 0) return reading;
	const leftOut = unreadable.slice(0, new Set(tooDeep.map(nameOfField)).size);
	return { ...reading, storable: { body: withoutKeys(body, tooDeep), leftOut } };
}

/** One line for a list of problems, such as `decision is missing; warning[0].code is missing`. */
export function describeProblems(problems: Problem[]): string {
	return problems.map(({ path, problem }) => `${path || 'the body'} ${problem}`).join('; ');
}

/** Parses JSON text; undefined when it isn't JSON, or is nested too deeply. */
export function parseJson(text: string): unknown {
	const value = parseDeepJson(text);
	return valuesIn(value, MAX_DEPTH) === Infinity ? undefined : value;
}

/** The same, however deeply it is nested. */
export function parseDeepJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** Whether the value is a JSON object: no list, no null. */
export function isRecord(value: unknown): value is Body {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value is a text of the interface, for which a number is tolerated. */
export function isTextOrNumber(value: unknown): value is string | number {
	return typeof value === 'string' || typeof value === 'number';
}

/** Whether a text of the service is an address on the web: an image of a webhook has none (interface.md#result). */
export function isWebAddress(value: unknown): value is string {
	return typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value);
}

type Path = readonly PropertyKey[];

function unread(problems: Problem[]): Unread {
	return { ok: false, problems };
}

function pathsOf({ issues }: z.ZodError): Path[] {
	return issues.map(({ path }) => path);
}

function problemsAt(paths: Path[], body: unknown): Problem[] {
	return paths.map((path) => {
		const isMissing = valueAt(body, path) === undefined;
		const problem = isMissing ? 'is missing' : 'has another type or value than documented';
		return { path: nameOf(path), problem };
	});
}

/** The fields at the top that are nested too deeply, or have too large a part in too large a body. */
function excessOf(body: Body): { tooDeep: string[]; tooLarge: string[] } {
	const counts = Object.entries(body).map(([key, value]) => ({
		key,
		count: valuesIn(value, MAX_DEPTH - 1),
	}));
	const tooDeep = counts.filter(({ count }) => count === Infinity);
	const others = counts.filter(({ count }) => count !== Infinity);
	const total = others.reduce((sum, { count }) => sum + count, 0);
	const tooLarge = others.filter(({ count }) => total > MAX_VALUES && count > MAX_FIELD_VALUES);
	const keysOf = (fields: typeof counts) => fields.map(({ key }) => key);
	return { tooDeep: keysOf(tooDeep), tooLarge: keysOf(tooLarge) };
}

function withoutKeys(body: Body, keys: string[]): Body {
	if (keys.length === 0) return body;
	const omitted = new Set(keys);
	return Object.fromEntries(Object.entries(body).filter(([key]) => !omitted.has(key)));
}

/** A copy without what stands at these paths; undefined where nothing does. What follows in a list moves up. */
function without(body: Body, paths: Path[]): Body | undefined {
	const copy = structuredClone(body);
	const lists = new Set<unknown[]>();
	let isChanged = false;
	for (const path of paths) {
		const parent = valueAt(copy, path.slice(0, -1));
		const [key] = path.slice(-1);
		if (typeof parent !== 'object' || parent === null || key === undefined) continue;
		isChanged ||= Object.hasOwn(parent, key);
		Reflect.deleteProperty(parent, key);
		if (Array.isArray(parent)) lists.add(parent);
	}
	for (const list of lists) {
		// Goes over what is there, and not over the holes.
		const members = list.filter(() => true);
		Object.assign(list, members).length = members.length;
	}
	return isChanged ? copy : undefined;
}

function valueAt(body: unknown, path: Path): unknown {
	return path.reduce<unknown>(
		(parent, key) => (parent as Partial<Record<PropertyKey, unknown>> | undefined)?.[key],
		body,
	);
}

function nameOf(path: Path): string {
	return path.map(segment).join('').replace(/^\./, '');
}

/** Keys of `data` come from outside; all other keys in a path are the schema's own. */
function segment(key: PropertyKey, index: number, path: Path): string {
	if (typeof key === 'number') return `[${key}]`;
	const isFreeKey = index === 1 && path[0] === 'data';
	const isKnown = (KNOWN_DATA_KEYS as readonly PropertyKey[]).includes(key);
	return isFreeKey && !isKnown ? '.*' : `.${String(key)}`;
}

/** Counts a value and all that it holds; Infinity where it is nested more deeply than `levels`. */
function valuesIn(value: unknown, levels: number): number {
	if (typeof value !== 'object' || value === null) return 1;
	if (levels === 0) return Infinity;
	let count = 1;
	if (Array.isArray(value)) {
		for (const child of value) count += valuesIn(child, levels - 1);
	} else {
		for (const key in value) count += valuesIn((value as Body)[key], levels - 1);
	}
	return count;
}
