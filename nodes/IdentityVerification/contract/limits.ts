/**
 * The largest body that is read, in bytes after unpacking: as much as n8n takes of a webhook by
 * default.
 */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * How long a body may be whatever it holds, in characters. A documented result has some thousands,
 * a larger one has images.
 */
export const MAX_COMPLEX_LENGTH = 1024 * 1024;

/**
 * How many characters of JSON a longer body may have besides what its texts hold. To read millions
 * of values would block n8n for seconds.
 */
export const MAX_STRUCTURE = 50_000;

/**
 * How deeply a body may be nested. The documented ones have 7 levels; n8n can't store thousands.
 */
export const MAX_DEPTH = 100;

/**
 * How many places of a body an item names as unreadable. Beyond that they are counted: a body can
 * have millions.
 */
export const MAX_NAMED_PLACES = 100;

/**
 * How much serialized JSON within a result is parsed, in characters. Without a limit, a body that
 * is one text could take many times what it takes to parse it; a result has some thousands.
 */
export const MAX_IDENTIFIERS_LENGTH = 256 * 1024;

/**
 * How many characters of the addresses of a result's images are parsed. Of a host with letters
 * such as é, each takes as long as dozens of other characters; a result has some hundreds.
 */
export const MAX_ADDRESSES_LENGTH = 16 * 1024;

/**
 * The longest time that a timer takes, in milliseconds: beyond it, Node.js lets it fire at once.
 */
export const MAX_TIMER_MS = 2 ** 31 - 1;
