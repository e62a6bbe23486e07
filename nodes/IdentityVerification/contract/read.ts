import { isRecord } from './json';
import type { Body } from './json';
import { Places } from './places';
import { readFields } from './shapes';
import type { Fields, ValuesOf } from './shapes';
import { makeStorable } from './storable';

/** Where a body differs from the documented shape. Names documented fields only, never a value. */
export interface Problem {
	/** Such as `decision`; empty for the body itself. */
	path: string;
	problem: string;
}

type Unread = { ok: false; problems: Problem[] };

/** A value, or why it can't be read. */
export type Reading<Value> = { ok: true; value: Value } | Unread;

/** What a body says of itself, as it was received. Trust depends on it. */
export interface Statement {
	decision?: unknown;
	success?: unknown;
	error?: unknown;
}

/** A body, as far as it could be read. */
export interface Received<Value> {
	/** The documented fields that are read, without the parts that could not be. */
	value: Value;
	/** Where these parts are in the body. */
	unreadable: Places;
	/** The body, except for what n8n couldn't store. */
	body: Body;
	/** What is replaced in the body; also unreadable. */
	replaced: Places;
	statement: Statement;
	/**
	 * Whether it is an answer with a status of success other than the documented 200
	 * (interface.md#errors).
	 */
	hasOtherStatus?: boolean;
}

export type LenientReading<Value> = ({ ok: true } & Received<Value>) | Unread;

/** A reading that failed because the body isn't an object. */
export const NO_OBJECT: Unread = {
	ok: false,
	problems: [{ path: '', problem: 'is not a JSON object' }],
};

/** A reading that failed because reading the body would block n8n. */
export const TOO_COMPLEX: Unread = {
	ok: false,
	problems: [{ path: '', problem: 'has too many values to be read' }],
};

/**
 * Reads a body by the documented fields of an object, and leaves out the parts that can't be read.
 * What n8n couldn't store is replaced in the body itself. Never throws; fails only if the body is
 * no object, or a required field can't be read.
 */
export function readLeniently<OfFields extends Fields, Required extends keyof OfFields & string>(
	fields: OfFields,
	body: unknown,
	required: readonly Required[] = [],
): LenientReading<WithRequired<ValuesOf<OfFields>, Required>> {
	if (!isRecord(body)) return NO_OBJECT;
	const { decision, success, error } = body;
	const replaced = makeStorable(body);
	const unreadable = Places.none();
	const value = readFields(fields, body, unreadable);
	const missing = required.filter((key) => value[key] === undefined);
	if (missing.length > 0) return unread(body, missing);
	return {
		ok: true,
		value: value as WithRequired<ValuesOf<OfFields>, Required>,
		unreadable: unreadable.with(replaced),
		body,
		replaced,
		statement: { decision, success, error },
	};
}

/** With fields that can't be missing. */
export type WithRequired<Value, Key extends keyof Value> = Value & {
	[Each in Key]-?: Exclude<Value[Each], undefined>;
};

/** The failure of a reading for these fields of a body. */
export function unread(body: Body, keys: string[]): Unread {
	const problems = keys.map((path) => ({
		path,
		problem: body[path] === undefined ? 'is missing' : 'has an undocumented type or value',
	}));
	return { ok: false, problems };
}

/**
 * One line for a list of problems, such as `decision is missing; url has an undocumented type or
 * value`.
 */
export function describeProblems(problems: Problem[]): string {
	return problems.map(({ path, problem }) => `${path || 'the body'} ${problem}`).join('; ');
}
