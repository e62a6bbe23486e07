import { isRecord } from './json';
import type { Body } from './json';
import { Places } from './places';
import { readFields } from './shapes';
import type { Fields, ValuesOf } from './shapes';
import { makeStorable } from './storable';

/** How a body differs from the interface. Contains names of documented fields, but no value. */
export interface Problem {
	/** A field such as `decision`; empty for the body itself. */
	path: string;
	problem: string;
}

type Unread = { ok: false; problems: Problem[] };

/** A value, or why it can't be read. */
export type Reading<Value> = { ok: true; value: Value } | Unread;

/** What a body says about itself, exactly as received. Trust depends on it. */
export interface Statement {
	decision?: unknown;
	success?: unknown;
	error?: unknown;
}

/** A body as far as it could be read. */
export interface Received<Value> {
	/** The documented fields, without the parts that couldn't be read. */
	value: Value;
	/** Where these parts are in the body. */
	unreadable: Places;
	/** The whole body, in a form that n8n can store. */
	body: Body;
	/** What had to be replaced in the body. Also in `unreadable`. */
	replaced: Places;
	statement: Statement;
	/** Whether the answer had a status of success other than the documented 200. */
	hasOtherStatus?: boolean;
}

export type LenientReading<Value> = ({ ok: true } & Received<Value>) | Unread;

/** The reading of a body that isn't an object. */
export const NO_OBJECT: Unread = {
	ok: false,
	problems: [{ path: '', problem: 'is not a JSON object' }],
};

/** The reading of a body that would block n8n. */
export const TOO_COMPLEX: Unread = {
	ok: false,
	problems: [{ path: '', problem: 'has too many values to be read' }],
};

/**
 * Reads the documented fields of a body, and leaves out the parts that can't be read. Changes the
 * body so that n8n can store it. Never throws. Fails only if the body isn't an object, or a
 * required field can't be read.
 */
export function readLeniently<OfFields extends Fields, Required extends keyof OfFields & string>(
	fields: OfFields,
	body: unknown,
	required: readonly Required[] = [],
): LenientReading<WithRequired<ValuesOf<OfFields>, Required>> {
	if (!isRecord(body)) return NO_OBJECT;
	const { decision, success, error } = body;
	// Only after `error` has been read, because this turns an infinite number into null, and an
	// accept beside it would then be trusted.
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

/** A value in which these fields can't be missing. */
export type WithRequired<Value, Key extends keyof Value> = Value & {
	[Each in Key]-?: Exclude<Value[Each], undefined>;
};

/** The reading of a body in which these fields are missing or wrong. */
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
