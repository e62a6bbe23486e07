import { parseUrl } from './nodejs';

/** The hosts from which files may be fetched, and which of them get the API key. */
export interface FileHosts {
	/** Hosts that get the API key. They include the port unless it is the default one. */
	named: readonly string[];
	/**
	 * Endings of hosts that only a wildcard allows, such as `.example.com`. These hosts get no key.
	 */
	wildcardEnds: readonly string[];
	/** Entries that can't match any host. */
	unusable: readonly string[];
}

/** Whether a file may be requested, and whether the request may carry the API key. */
export type FileAccess = 'withKey' | 'withoutKey' | 'refused';

/** A DNS name or an IPv6 address, optionally with a port. */
const HOST = /^([\w-][\w.-]*|\[[\da-f:.]+\])(:\d+)?$/;

/**
 * Requires two labels after the asterisk, because `*.com` would allow anybody's host. As in n8n's
 * own *Allowed Domains*, the domain itself isn't included.
 */
const WILDCARD = /^\*(\.[\w-]+){2,}(:\d+)?$/;

/**
 * Reads the credential's File Hosts.
 * @param entered hosts or web addresses, separated by commas, semicolons or white space
 * @param serviceHost the base URL's host, from which files may always be fetched
 */
export function readFileHosts(entered: string, serviceHost: string): FileHosts {
	const entries = entered
		.split(/[\s,;]+/)
		.filter(Boolean)
		.map((entry) => ({ entry, host: hostOfEntry(entry) }));
	const named = entries.filter(({ host }) => HOST.test(host));
	const wildcards = entries.filter(({ host }) => WILDCARD.test(host));
	const unusable = entries.filter(({ host }) => !HOST.test(host) && !WILDCARD.test(host));
	return {
		named: [serviceHost, ...named.map(({ host }) => host)],
		wildcardEnds: wildcards.map(({ host }) => host.slice(1)),
		unusable: unusable.map(({ entry }) => entry),
	};
}

/** Whether a file may be fetched from this address, and whether the API key may go there. */
export function fileAccess({ named, wildcardEnds }: FileHosts, { host }: URL): FileAccess {
	if (named.includes(host)) return 'withKey';
	return wildcardEnds.some((end) => host.endsWith(end)) ? 'withoutKey' : 'refused';
}

/**
 * The normalized host of an entry, without a default port and a final dot. Empty if the entry has
 * no host.
 */
function hostOfEntry(entry: string): string {
	const address = entry.includes('://') ? entry : `https://${entry}`;
	return parseUrl(address)?.host.replace(/\.(?=$|:)/, '') ?? '';
}
