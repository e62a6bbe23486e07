/**
 * The longest time for which a timer can be set, in milliseconds. With a longer one, it fires at
 * once.
 */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Parses a web address. Undefined if it isn't one. Doesn't use `URL.canParse`, which in Node.js 20
 * and 22 refuses addresses with letters such as ü after some thousand calls.
 * @param base the address to resolve a relative one against
 */
export function parseUrl(address: string, base?: string): URL | undefined {
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}
