import { parseUrl } from './parseUrl';

/** The hosts from which files may be fetched, and how far each is trusted. */
export interface FileHosts {
	/** Get the API key. With the port, unless it's the default. */
	named: readonly string[];
	/** Ends of hosts that only a wildcard allows, such as `.example.com`. Get no key. */
	wildcardEnds: readonly string[];
	/** What was entered and can't match any host. */
	unusable: readonly string[];
}

/** What a request for a file may carry, if it may be sent at all. */
export type FileAccess = 'withKey' | 'withoutKey' | 'refused';

/** A name that DNS knows, or an IPv6 address; then a port. */
const HOST = /^([\w-][\w.-]*|\[[\da-f:.]+\])(:\d+)?$/;

/**
 * Two labels have to follow, because `*.com` would allow anybody's host. As in n8n's own
 * *Allowed Domains*, the domain itself isn't meant.
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
		.map((entry) => ({ entry, host: hostOf(entry) }));
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
 * The normalised host of an entry, without the default port and a dot at its end; empty if it
 * names none.
 */
function hostOf(entry: string): string {
	const address = entry.includes('://') ? entry : `https://${entry}`;
	return parseUrl(address)?.host.replace(/\.(?=$|:)/, '') ?? '';
}
