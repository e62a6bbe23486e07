import type { ZodType, ZodTypeDef } from 'zod';

import { MAX_ELEMENTS, MAX_ELEMENTS_EACH } from './bounds';
import { isId } from './ids';
import { isRecord } from './json';
import type { Body } from './json';
import { keepsDigits, numberIn } from './numbers';

/** What could be read of a value. */
interface Read<Value> {
	/** Undefined if nothing of it could be read. */
	value: Value | undefined;
	/** Whether nothing had to be left out. */
	isWhole: boolean;
}

/** Reads a value as the interface documents it. Changes nothing. */
export type Shape<Value> = (value: unknown, elements: Elements) => Read<Value>;

/** The documented fields of an object. */
export type Fields = Record<string, Shape<unknown>>;

/** What is read by a shape. */
export type ValueOf<OfShape> = OfShape extends Shape<infer Value> ? Value : never;

/** What is read of an object's fields. */
export type ValuesOf<OfFields extends Fields> = {
	[Key in keyof OfFields]?: ValueOf<OfFields[Key]>;
};

const NOTHING: Read<never> = { value: undefined, isWhole: false };

/** Counts the elements that are read of a body, because there can be millions. */
class Elements {
	private left = MAX_ELEMENTS;

	/** As many elements from the beginning of a list as are read. */
	take<Element>(list: readonly Element[]): Element[] {
		const taken = list.slice(0, Math.min(MAX_ELEMENTS_EACH, this.left));
		this.left -= taken.length;
		return taken;
	}
}

export const anything = shapeOf((value) => value);

export const string = shapeOf((value) => (typeof value === 'string' ? value : undefined));

/** A string, or a number in place of one, which is tolerated. */
export const stringOrNumber = shapeOf((value) => {
	const isText = typeof value === 'string' || (typeof value === 'number' && keepsDigits(value));
	return isText ? value : undefined;
});

/** A text that identifies something, or an exact number in place of one. */
export const id = shapeOf((value) => (isId(value) ? value : undefined));

/** A number, or its text in place of one, which is tolerated. */
export const number = shapeOf(numberIn);

/** Any object. */
export const record = shapeOf((value) => (isRecord(value) ? value : undefined));

/**
 * Reads what a zod schema accepts. It is for single fields: zod is too slow for thousands of
 * elements that it rejects.
 */
export function field<Value>(schema: ZodType<Value, ZodTypeDef, unknown>): Shape<Value> {
	return shapeOf((value) => schema.safeParse(value).data);
}

/** Reads a value with a function that returns undefined for any other. */
function shapeOf<Value>(read: (value: unknown) => Value | undefined): Shape<Value> {
	return (value) => {
		const found = read(value);
		return found === undefined ? NOTHING : { value: found, isWhole: true };
	};
}

export function oneOf<Value>(values: readonly Value[]): Shape<Value> {
	return shapeOf((value) => values.find((known) => known === value));
}

/** Accepts null as well. */
export function orNull<Value>(shape: Shape<Value>): Shape<Value | null> {
	return (value, elements) => (value === null ? { value, isWhole: true } : shape(value, elements));
}

/** Accepts a list. Elements that can't be read are left out, and later ones move up. */
export function listOf<Value>(shape: Shape<Value>): Shape<Value[]> {
	return (value, elements) => {
		if (!Array.isArray(value)) return NOTHING;
		const read = elements.take<unknown>(value).map((element) => shape(element, elements));
		return {
			value: read.flatMap(({ value: element }) => (element === undefined ? [] : [element])),
			isWhole: read.length === value.length && read.every(({ isWhole }) => isWhole),
		};
	};
}

/** Accepts an object with any keys. They are read as pairs, because one can be `__proto__`. */
export function mapOf<Value>(shape: Shape<Value>): Shape<Array<[key: string, value: Value]>> {
	return (value, elements) => {
		if (!isRecord(value)) return NOTHING;
		const keys = Object.keys(value);
		const read = elements.take(keys).map((key) => ({ key, ...shape(value[key], elements) }));
		return {
			value: read.flatMap(
				({ key, value: member }): Array<[string, Value]> =>
					member === undefined ? [] : [[key, member]],
			),
			isWhole: read.length === keys.length && read.every(({ isWhole }) => isWhole),
		};
	};
}

/** Accepts an object with these documented fields. Its other keys are kept, too. */
export function objectOf<OfFields extends Fields>(
	fields: OfFields,
): Shape<ValuesOf<OfFields> & Body> {
	return (value, elements) => {
		if (!isRecord(value)) return NOTHING;
		const { value: read, incomplete } = readKnown(fields, value, elements);
		const isAsReceived = Object.keys(read).every((key) => read[key] === value[key]);
		// Copying an object with very many keys would take longer than parsing it.
		const whole = isAsReceived ? value : { ...value, ...read };
		return { value: whole as ValuesOf<OfFields> & Body, isWhole: incomplete.length === 0 };
	};
}

/**
 * Reads only the documented fields of a body.
 * @returns what could be read, and the names of the fields of which something was left out
 */
export function readFields<OfFields extends Fields>(
	fields: OfFields,
	body: Body,
): { value: ValuesOf<OfFields>; incomplete: string[] } {
	const { value, incomplete } = readKnown(fields, body, new Elements());
	return { value: value as ValuesOf<OfFields>, incomplete };
}

function readKnown(
	fields: Fields,
	object: Body,
	elements: Elements,
): { value: Body; incomplete: string[] } {
	const present = Object.entries(fields).filter(([name]) => object[name] !== undefined);
	const read = present.map(([name, shape]) => ({ name, ...shape(object[name], elements) }));
	return {
		value: Object.fromEntries(read.map(({ name, value }) => [name, value])),
		incomplete: read.filter(({ isWhole }) => !isWhole).map(({ name }) => name),
	};
}
