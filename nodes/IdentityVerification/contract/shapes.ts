import type { ZodType } from 'zod';

import { isRecord } from './json';
import type { Body } from './json';
import { listIn } from './lists';
import type { Place, Places } from './places';
import { keepsDigits } from './text';

/**
 * Reads a value as the interface documents it, in time that is linear in its size.
 * @param parent what contains the value, under `key`; undefined for a field of the body itself
 * @param unreadable takes the places of the parts that can't be read
 * @returns the value without these parts; undefined if nothing of it can be read
 */
export type Shape<Value> = (
	value: unknown,
	parent: Place | undefined,
	key: Place['key'],
	unreadable: Places,
) => Value | undefined;

/** The documented fields of an object. */
export type Fields = Record<string, Shape<unknown>>;

/** What is read by a shape. */
export type ValueOf<OfShape> = OfShape extends Shape<infer Value> ? Value : never;

/** What is read of an object's fields. */
export type ValuesOf<OfFields extends Fields> = {
	[Key in keyof OfFields]?: ValueOf<OfFields[Key]>;
};

export const anything: Shape<unknown> = (value) => value;

export const string = shapeOf((value) => typeof value === 'string');

/** A string, or a number in place of one, which is tolerated. */
export const text = shapeOf(
	(value): value is string | number =>
		typeof value === 'string' || (typeof value === 'number' && keepsDigits(value)),
);

/** Any object. */
export const record = shapeOf(isRecord);

/**
 * Accepts what a zod schema accepts. It is for single fields: a list can have hundreds of thousands
 * of elements, and for each of them, zod would take longer than JSON.parse.
 */
export function field<Value>(schema: ZodType<Value>): Shape<Value> {
	return shapeOf((value): value is Value => schema.safeParse(value).success);
}

/** Accepts the values that pass a check. */
export function shapeOf<Value>(check: (value: unknown) => value is Value): Shape<Value> {
	return (value, parent, key, unreadable) => (check(value) ? value : unreadable.add(parent, key));
}

export function oneOf<Value>(values: readonly Value[]): Shape<Value> {
	return shapeOf((value): value is Value => values.includes(value as Value));
}

/** Accepts null as well. */
export function orNull<Value>(shape: Shape<Value>): Shape<Value | null> {
	return (value, parent, key, unreadable) =>
		value === null ? null : shape(value, parent, key, unreadable);
}

/** Accepts a list. Elements that can't be read are left out, and later ones move up. */
export function listOf<Value>(shape: Shape<Value>): Shape<Value[]> {
	return (value, parent, key, unreadable) => {
		const list = listIn(value);
		if (!list) return unreadable.add(parent, key);
		const { elements, indexes } = list;
		const place = { parent, key };
		// Copied only once an element can't be read.
		let read = elements;
		for (let index = 0; index < elements.length; index++) {
			const element = shape(elements[index], place, indexes?.[index] ?? index, unreadable);
			if (read === elements && element !== elements[index]) read = elements.slice(0, index);
			if (read !== elements && element !== undefined) read.push(element);
		}
		return read as Value[];
	};
}

/** Accepts an object with any keys. They are read as pairs, because one can be `__proto__`. */
export function mapOf<Value>(shape: Shape<Value>): Shape<Array<[key: string, value: Value]>> {
	return (value, parent, key, unreadable) => {
		if (!isRecord(value)) return unreadable.add(parent, key);
		const place = { parent, key };
		const read: Array<[string, Value]> = [];
		for (const name in value) {
			const member = shape(value[name], place, name, unreadable);
			if (member !== undefined) read.push([name, member]);
		}
		return read;
	};
}

/** Accepts an object with these documented fields. Its other keys are kept, too. */
export function objectOf<OfFields extends Fields>(
	fields: OfFields,
): Shape<ValuesOf<OfFields> & Body> {
	const shapes = Object.entries(fields);
	return (value, parent, key, unreadable) => {
		if (!isRecord(value)) return unreadable.add(parent, key);
		const place = { parent, key };
		let read = value;
		for (const [name, shape] of shapes) {
			const field = value[name];
			if (field === undefined) continue;
			const readField = shape(field, place, name, unreadable);
			if (readField === field) continue;
			if (read === value) read = { ...value };
			// Set to undefined, because `delete` would make the object slow.
			read[name] = readField;
		}
		return read as ValuesOf<OfFields> & Body;
	};
}

/** Reads only the documented fields of a body. */
export function readFields<OfFields extends Fields>(
	fields: OfFields,
	body: Body,
	unreadable: Places,
): ValuesOf<OfFields> {
	const read: Body = {};
	for (const [name, shape] of Object.entries(fields)) {
		const value = body[name];
		if (value !== undefined) read[name] = shape(value, undefined, name, unreadable);
	}
	return read as ValuesOf<OfFields>;
}
