/**
 * The largest body that is read, in bytes after unpacking: as much as n8n takes of a webhook by
 * default.
 */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/**
 * How many elements of a list, or keys of a map such as `data`, are read. A usual result has a few
 * dozen. The largest body can have millions, and reading them would block n8n.
 */
export const MAX_ELEMENTS_EACH = 10_000;

/** How many elements and keys of a body are read in all. */
export const MAX_ELEMENTS = 50_000;

/**
 * How deeply a body may be nested. Documented bodies have 7 levels; n8n can't store thousands.
 */
export const MAX_DEPTH = 100;
