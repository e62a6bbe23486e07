import { MAX_NAMED_PLACES } from './limits';
import { FIELD_NAMES, KNOWN_DATA_KEYS, LIST_NAMES } from './vocabulary';

/** Where a value is in a body: the keys that lead to it. */
export interface Place {
	/** Undefined for a field of the body itself. */
	parent?: Place;
	/** A number in a list. */
	key: string | number;
}

const DATA_KEYS = new Set(KNOWN_DATA_KEYS);
const FIELDS = new Set(FIELD_NAMES);
const LISTS = new Set(LIST_NAMES);
const BOXES = new Set(['inputBox', 'outputBox']);

const UNKNOWN = '.*';

/** After this many places, the others are only counted, and get no name. */
const MAX_NAMES_MADE = 10 * MAX_NAMED_PLACES;

/**
 * How many keys lead to the deepest values that are documented, such as
 * `data.dob[0].inputBox[0][1]`.
 */
const LONGEST_PATH = 6;

/** The places of a body that can't be read. The first ones have names, the others are counted. */
export class Places {
	private constructor(
		private readonly names: Set<string>,
		private count: number,
	) {}

	static none(): Places {
		return new Places(new Set(), 0);
	}

	/** Returns undefined so that a shape can return the call. */
	add(parent: Place | undefined, key: Place['key']): undefined {
		this.count++;
		// Many places can share one name, such as `*`, and making it for each would take long.
		if (this.names.size < MAX_NAMED_PLACES && this.count <= MAX_NAMES_MADE)
			this.names.add(nameOf(parent, key));
	}

	/** These places, and the other ones that aren't within one of these. */
	with(others: Places): Places {
		const names = [...this.names];
		const outside = [...others.names].filter(
			(name) => !names.some((whole) => isWithin(name, whole)),
		);
		const all = [...names, ...outside];
		// Those without a name may be in both.
		const count = Math.max(this.count, others.count, all.length);
		return new Places(new Set(all.slice(0, MAX_NAMED_PLACES)), count);
	}

	/** The names, for an item. If some have none, the last entry is like `and at least 12 more`. */
	list(): string[] {
		const more = this.count - this.names.size;
		return [...this.names, ...(more > 0 ? [`and at least ${more} more`] : [])];
	}
}

function isWithin(name: string, whole: string): boolean {
	return name.startsWith(whole) && ['', '.', '['].includes(name.charAt(whole.length));
}

/**
 * The name of a place as far as the interface documents it, such as `warning[2].severity`. Any
 * other key becomes `*`, because it comes from outside and could contain personal data.
 */
function nameOf(parent: Place | undefined, key: Place['key']): string {
	const path = pathTo({ parent, key });
	let name = '';
	for (const [index, part] of path.slice(0, LONGEST_PATH).entries()) {
		const step = stepTo(part, path.slice(0, index));
		name += step;
		// Everything within a field of `data` is documented, whatever the field's own name is.
		const isFieldOfData = index === 1 && path[0] === 'data';
		if (step === '' || (step === UNKNOWN && !isFieldOfData)) break;
	}
	return name.replace(/^\./, '');
}

/** @returns an empty string for an element of a list that isn't documented */
function stepTo(key: string | number, above: Array<string | number>): string {
	const isInData = above[0] === 'data';
	if (isInData && above.length === 1 && typeof key === 'string') {
		return DATA_KEYS.has(key) ? `.${key}` : UNKNOWN;
	}
	const isList =
		LISTS.has(String(above.at(-1))) ||
		(isInData && (above.length === 2 || BOXES.has(String(above[3]))));
	// PHP sends a list with gaps as an object, so its indexes are strings.
	if (isList && /^\d+$/.test(String(key))) return `[${key}]`;
	if (typeof key === 'number') return '';
	return FIELDS.has(key) ? `.${key}` : UNKNOWN;
}

function pathTo({ parent, key }: Place): Array<string | number> {
	return parent ? [...pathTo(parent), key] : [key];
}
