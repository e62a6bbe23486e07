/**
 * The largest body that is read, in bytes after unpacking: as much as n8n takes of a webhook by
 * default.
 */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * Bodies of up to this length, in characters, are always parsed. A usual result has a few thousand
 * characters; one that is much longer contains images.
 */
export const MAX_COMPLEX_LENGTH = 1024 * 1024;

/**
 * How many characters a longer body may have outside its strings. Reading millions of values would
 * block n8n for seconds.
 */
export const MAX_STRUCTURE = 50_000;

/**
 * How deeply a body may be nested. Documented bodies have 7 levels; n8n can't store thousands.
 */
export const MAX_DEPTH = 100;

/**
 * How many unreadable places of a body an item names. The others are only counted, because there
 * can be hundreds of thousands.
 */
export const MAX_NAMED_PLACES = 100;

/**
 * How many characters of serialized JSON within a result are parsed. A usual result has a few
 * thousand. Without a limit, a string of many megabytes would be parsed once more.
 */
export const MAX_IDENTIFIERS_LENGTH = 256 * 1024;

/**
 * How many characters of image addresses are parsed. A usual result has a few hundred. In a host
 * name, a letter such as é takes dozens of times as long as other letters.
 */
export const MAX_ADDRESSES_LENGTH = 16 * 1024;

/**
 * The longest time for which a timer can be set, in milliseconds. With a longer one, Node.js lets
 * it fire at once.
 */
export const MAX_TIMER_MS = 2 ** 31 - 1;
