import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

export const CREDENTIAL_TYPE = 'identityVerificationApi';

/** An encrypted address, or this machine: the API key and images travel over nothing else. */
export const SECURE_BASE_URL =
	/^(https:\/\/|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$))/i;

/** Where the service is, and which hosts may be given the API key. */
export interface Service {
	/** Without a slash at the end; may have a path. */
	baseUrl: string;
	/** Hosts, with a port where it isn't the default one, from which files may be fetched. */
	fileHosts: string[];
	/** Known here only so that it can be kept out of messages: n8n itself sends it. */
	apiKey: string;
	/** Empty when the credential has none. */
	webhookSecret: string;
}

/**
 * Reads the credential for requests to the service.
 * @throws NodeOperationError when the base URL can't be used
 */
export async function readService(context: IExecuteFunctions): Promise<Service> {
	const values = await context.getCredentials(CREDENTIAL_TYPE);
	const baseUrl = text(values.baseUrl).replace(/\/+$/, '');
	const problem = problemOf(baseUrl);
	if (problem) {
		throw new NodeOperationError(context.getNode(), `The credential's Base URL ${problem}`, {
			description: 'Open the Identity Verification API credential and correct the Base URL.',
		});
	}
	const listed = text(values.fileHosts)
		.toLowerCase()
		.split(/[\s,]+/)
		.map((entry) => entry.replace(/^https?:\/\//, '').replace(/\/.*$/, ''))
		.filter(Boolean);
	return {
		baseUrl,
		apiKey: text(values.apiKey),
		fileHosts: [new URL(baseUrl).host, ...listed],
		webhookSecret: text(values.webhookSecret),
	};
}

/** Reads the webhook secret; empty when there is no credential or no secret in it. */
export async function readWebhookSecret(context: IWebhookFunctions): Promise<string> {
	const values = await context.getCredentials(CREDENTIAL_TYPE).catch(() => ({ webhookSecret: '' }));
	return text(values.webhookSecret);
}

function problemOf(baseUrl: string): string | undefined {
	if (!URL.canParse(baseUrl)) return 'is not a web address';
	const { search, hash, username, password } = new URL(baseUrl);
	if (!SECURE_BASE_URL.test(baseUrl)) return 'has to begin with https://';
	if (search || hash || username || password) return 'may hold a host and a path only';
	return undefined;
}

function text(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}
