import { isRecord } from './json';
import type { Body } from './json';
import { keepsDigits } from './numbers';
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

/**
 * A body as it arrived. The trigger also delivers a result to an execution in this form, so its keys
 * are frozen after 0.1.0.
 */
export interface ParsedBody {
	json: unknown;
	/** Whether something had to be replaced in it, which can have changed any part of it. */
	isRepaired: boolean;
}

/** All that trust in a decision depends on, as it arrived. */
export interface Statement {
	decision?: unknown;
	success?: unknown;
	error?: unknown;
	isRepaired: boolean;
	/** Whether the answer had a status of success other than the documented 200. */
	hasOtherStatus: boolean;
}

/** A part of a body, and the names of the fields of which it lacks something. */
interface Part<Value> {
	value: Value;
	/** Documented fields, and `*` for anything else. */
	unreadable: string[];
}

/** A body as far as it could be read: its documented fields, and what they lack. */
export interface Received<Value> extends Part<Value> {
	/** The whole body, in a form that n8n can store. */
	raw: Part<Body>;
	statement: Statement;
}

export type LenientReading<Value> = ({ ok: true } & Received<Value>) | Unread;

/** The reading of a body that isn't an object. */
export const NO_OBJECT: Unread = {
	ok: false,
	problems: [{ path: '', problem: 'is not a JSON object' }],
};

/** The name of all that the interface doesn't document: its own could contain personal data. */
const UNDOCUMENTED = '*';

interface Expected<OfFields extends Fields, Required extends keyof OfFields> {
	/** The documented fields. */
	fields: OfFields;
	/** Those without which the body is nothing. */
	required: readonly Required[];
	/** The status of the answer. Undefined for a webhook, which has none. */
	statusCode: number | undefined;
}

/**
 * Reads the documented fields of a body, and leaves out the parts that can't be read. Changes
 * nothing, and never throws. Fails only if the body isn't an object, or a required field can't be
 * read.
 */
export function readLeniently<OfFields extends Fields, Required extends keyof OfFields & string>(
	parsed: ParsedBody,
	{ fields, required, statusCode }: Expected<OfFields, Required>,
): LenientReading<WithRequired<ValuesOf<OfFields>, Required>> {
	if (!isRecord(parsed.json)) return NO_OBJECT;
	const { body, leftOut } = makeStorable(parsed.json);
	const { value, incomplete } = readFields(fields, body);
	const missing = required.filter((key) => value[key] === undefined);
	if (missing.length > 0) return unread(parsed.json, missing);
	const changed = [
		...leftOut.map((key) => (Object.hasOwn(fields, key) ? key : UNDOCUMENTED)),
		...(parsed.isRepaired ? [UNDOCUMENTED] : []),
	];
	const { decision, success, error } = parsed.json;
	const isRepaired = parsed.isRepaired || leftOut.length > 0;
	const hasOtherStatus = statusCode !== undefined && statusCode !== 200;
	return {
		ok: true,
		value: value as WithRequired<ValuesOf<OfFields>, Required>,
		unreadable: distinct([...incomplete, ...changed]),
		raw: {
			value: body,
			unreadable: distinct([...incomplete.filter((key) => isRounded(body[key])), ...changed]),
		},
		statement: { decision, success, error, isRepaired, hasOtherStatus },
	};
}

/** Whether parsing can have changed the digits of a number, of which an ID has no fraction. */
function isRounded(value: unknown): boolean {
	return typeof value === 'number' ? !Number.isSafeInteger(value) : !keepsAllDigits(value);
}

/** Whether no number in a value has lost digits. */
function keepsAllDigits(value: unknown): boolean {
	if (typeof value === 'number') return keepsDigits(value);
	if (typeof value !== 'object' || value === null) return true;
	return Object.values(value).every(keepsAllDigits);
}

/** Names, each of them once. */
export function distinct(names: string[]): string[] {
	return [...new Set(names)];
}

/** A value in which these fields can't be missing. */
export type WithRequired<Value, Key extends keyof Value> = Value & {
	[Each in Key]-?: Exclude<Value[Each], undefined>;
};

/** The reading of a body in which these fields are missing or wrong. */
function unread(body: Body, keys: string[]): Unread {
	const problems = keys.map((path) => ({
		path,
		problem: body[path] === undefined ? 'is missing' : 'has an undocumented type or value',
	}));
	return { ok: false, problems };
}
