/**
 * Parses a web address; undefined if it isn't one. Not with `URL.canParse`: in Node.js 20 and 22,
 * it refuses addresses with letters such as ü once it has been called some thousand times.
 * @param base what a relative address is relative to
 */
export function parseUrl(address: string, base?: string): URL | undefined {
	try {
		return new URL(address, base);
	} catch {
		return undefined;
	}
}
