import { NodeOperationError } from 'n8n-workflow';
import type {
	ICredentialsDecrypted,
	IExecuteFunctions,
	IHookFunctions,
	IWebhookFunctions,
} from 'n8n-workflow';

import { parseUrl } from './nodejs';

export const CREDENTIAL_TYPE = 'identityVerificationApi';

/** Requires https, except for this machine, because the API key and images are sent there. */
export const SECURE_BASE_URL =
	/^(https:\/\/|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$))/i;

/**
 * What a Base URL must not contain: a query or a fragment, because the request path that is
 * appended would become part of it, and anything that could hide the host, such as a user name
 * before it.
 */
export const MORE_THAN_HOST_AND_PATH = /[?#\\\t\n\r]|^[^:]*:\/+[^/]*@/;

/** A shorter webhook secret could be guessed from text that was encrypted with it. */
const MIN_SECRET_LENGTH = 20;

/** A webhook secret that nobody can guess, with only characters that a URL doesn't change. */
const STRONG_SECRET = new RegExp(`^[\\w-]{${MIN_SECRET_LENGTH},}$`);

/** What STRONG_SECRET asks for, in words. */
export const SECRET_RULE = `${MIN_SECRET_LENGTH} or more random characters (A to Z, a to z, 0 to 9, - and _)`;

/** Whether a webhook secret proves anything. One that can be guessed counts as none. */
export function isStrongSecret(secret: string): boolean {
	return STRONG_SECRET.test(secret);
}

/** Where the service is, and which hosts may get the API key. */
export interface Service {
	/** Normalized, without a slash at the end. It may include a path. */
	baseUrl: string;
	fileHosts: FileHosts;
	/** Needed only to keep it out of messages: n8n itself sends it. */
	apiKey: string;
	/** Empty when the credential has none. It may be weak. */
	webhookSecret: string;
	/**
	 * Passed to n8n with each request, so that n8n doesn't read the credential again for each one.
	 */
	credential: ICredentialsDecrypted;
}

/** The hosts from which files may be fetched, and which of them get the API key. */
interface FileHosts {
	/** Hosts that get the API key. They include the port unless it is the default one. */
	named: readonly string[];
	/**
	 * Endings of hosts that only a wildcard allows, such as `.example.com`. These hosts get no key.
	 */
	wildcardEnds: readonly string[];
	/** Entries that can't match any host. */
	unusable: readonly string[];
}

/**
 * Reads the credential for the requests of one item, because its expressions can lead each item
 * elsewhere.
 * @throws NodeOperationError when the base URL can't be used, or what n8n throws when it can't read
 * the credential
 */
export async function readService(context: IExecuteFunctions, itemIndex: number): Promise<Service> {
	const values = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
	const entered = trimmed(values.baseUrl);
	const problem = problemOfBaseUrl(entered);
	if (problem) {
		throw new NodeOperationError(context.getNode(), `The credential's 'Base URL' ${problem}`, {
			description: "Open the Identity Verification API credential and correct the 'Base URL'.",
			failure: { cause: 'configuration-invalid' },
		});
	}
	const { href, host } = new URL(entered);
	return {
		baseUrl: href.replace(/(?<!\/)\/+$/, ''),
		fileHosts: readFileHosts(trimmed(values.fileHosts), host),
		// An expression can give a number, which n8n sends too.
		apiKey: String(values.apiKey ?? '').trim(),
		webhookSecret: trimmed(values.webhookSecret),
		credential: { ...credentialOf(context), type: CREDENTIAL_TYPE, data: values },
	};
}

/** The ID and name of the node's credential; empty if it has none. */
export function credentialOf(context: IExecuteFunctions): { id: string; name: string } {
	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? {};
	return { id: id ?? '', name: name ?? '' };
}

/**
 * Reads the webhook secret. Empty if there is no credential, or no strong secret in it. Rejects if
 * the credential can't be read at the moment.
 */
export async function readWebhookSecret(
	context: IExecuteFunctions | IHookFunctions | IWebhookFunctions,
): Promise<string> {
	if (!context.getNode().credentials?.[CREDENTIAL_TYPE]) return '';
	const { webhookSecret } = await context.getCredentials(CREDENTIAL_TYPE);
	const secret = trimmed(webhookSecret);
	return isStrongSecret(secret) ? secret : '';
}

function problemOfBaseUrl(baseUrl: string): string | undefined {
	if (baseUrl === '') return 'is empty';
	if (!parseUrl(baseUrl)) return 'is not a web address';
	if (MORE_THAN_HOST_AND_PATH.test(baseUrl)) return 'may contain only a host and a path';
	return SECURE_BASE_URL.test(baseUrl) ? undefined : 'must begin with https://';
}

function trimmed(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}

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
function readFileHosts(entered: string, serviceHost: string): FileHosts {
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

/** Whether a file may be requested, and whether the request may carry the API key. */
export type FileAccess = 'withKey' | 'withoutKey' | 'refused';

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
