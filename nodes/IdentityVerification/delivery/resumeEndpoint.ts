import type { IExecuteFunctions, IWebhookFunctions } from 'n8n-workflow';

import { parseUrl } from '../parseUrl';

/** Where n8n resumes this execution; undefined if n8n doesn't say. */
export function resumeUrl(context: IExecuteFunctions | IWebhookFunctions): URL | undefined {
	return parseUrl(String(context.evaluateExpression('{{ $execution.resumeUrl }}', 0)));
}

/**
 * Path of the endpoint, as seen from outside. Constant while n8n runs, and n8n's expressions are
 * slow.
 */
let publicPath: string | undefined;

/**
 * Where this n8n process resumes executions, without a slash at the end. Only its own socket says
 * that, so no sender can choose where a result goes, and the endpoint need not be reachable from
 * outside.
 */
export function resumeEndpoint(context: IWebhookFunctions): string {
	const { socket, path } = context.getRequestObject();
	const { localAddress, localPort }: Partial<typeof socket> = socket;
	const resumePath = resumeUrl(context)?.pathname;
	// Kept only once n8n has said it: otherwise, no result would be delivered until n8n restarts.
	if (resumePath) publicPath ??= pathBefore(resumePath);
	const webhookUrl = context.getWebhookResourceUrl('default') ?? '';
	const publicWebhook = parseUrl(webhookUrl)?.pathname ?? '';
	const ownPath = withoutPublicPrefix(publicPath ?? '', publicWebhook, path);
	return `http://${hostOf(localAddress ?? '')}:${localPort}${ownPath}`;
}

/** What is before the execution's ID. `N8N_ENDPOINT_WEBHOOK_WAIT` can have several parts. */
function pathBefore(resumePath: string): string {
	return resumePath.slice(0, resumePath.lastIndexOf('/'));
}

/**
 * Leaves out what a proxy in front of n8n removes from each path, such as `/n8n` where n8n is
 * reached at `https://example.com/n8n/` (architecture.md#n8n-webhook-path).
 * @param path as seen from outside
 * @param publicWebhook path of the webhook that is being answered, as seen from outside
 * @param received the same path, as n8n has received it
 */
export function withoutPublicPrefix(path: string, publicWebhook: string, received: string): string {
	const prefix = publicWebhook.endsWith(received) ? publicWebhook.slice(0, -received.length) : '';
	return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

/**
 * A socket for both versions of IP calls an IPv4 address `::ffff:127.0.0.1`, which NO_PROXY
 * wouldn't match.
 */
function hostOf(address: string): string {
	const host = address.replace(/^::ffff:(?=\d+\.)/i, '');
	return host.includes(':') ? `[${host}]` : host;
}
