import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { parseUrl } from '../nodejs';

/** The URL at which n8n resumes this execution; undefined if n8n doesn't say. */
export function resumeUrl(context: IExecuteFunctions | IWebhookFunctions): URL | undefined {
	return parseUrl(String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0)));
}

/**
 * Where this n8n process resumes executions, without a slash at the end. Host and port are those of
 * the socket, so no sender can choose where a result goes, and the endpoint doesn't have to be
 * reachable from outside.
 * @returns undefined if the sender has closed the connection, because the socket then no longer
 * knows its own address
 */
export function resumeEndpoint(context: IWebhookFunctions): string | undefined {
	const { socket, path } = context.getRequestObject();
	const { localAddress, localPort }: Partial<typeof socket> = socket;
	if (localAddress === undefined) return undefined;
	const publicPath = pathBefore(resumeUrl(context)?.pathname ?? '');
	const webhookUrl = context.getWebhookResourceUrl('default') ?? '';
	const publicWebhook = parseUrl(webhookUrl)?.pathname ?? '';
	const ownPath = withoutPublicPrefix(publicPath, publicWebhook, path);
	return `http://${hostOfSocket(localAddress)}:${localPort}${ownPath}`;
}

/** The part before the execution's ID. `N8N_ENDPOINT_WEBHOOK_WAIT` can have several segments. */
function pathBefore(resumePath: string): string {
	return resumePath.slice(0, resumePath.lastIndexOf('/'));
}

/**
 * Removes the prefix that a proxy in front of n8n strips from each path, such as `/n8n` if n8n is
 * reached at `https://example.com/n8n/` (architecture.md#n8n-webhook-path).
 * @param path the path to shorten, as seen from outside
 * @param publicWebhook the path of the current webhook, as seen from outside
 * @param received the same path, as n8n received it
 */
export function withoutPublicPrefix(path: string, publicWebhook: string, received: string): string {
	const prefix = publicWebhook.endsWith(received) ? publicWebhook.slice(0, -received.length) : '';
	return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/**
 * A dual-stack socket reports an IPv4 address as `::ffff:127.0.0.1`, which NO_PROXY wouldn't match.
 */
function hostOfSocket(address: string): string {
	const host = address.replace(/^::ffff:(?=\d+\.)/i, '');
	return host.includes(':') ? `[${host}]` : host;
}
