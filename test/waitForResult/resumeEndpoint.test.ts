import type { IWebhookFunctions } from 'n8n-workflow';

import {
	resumeEndpoint,
	withoutPublicPrefix,
} from '../../nodes/IdentityVerification/delivery/resumeEndpoint';

// That n8n listens there needs a whole n8n: test/e2e/n8nKilled.

const RECEIVED = '/webhook/1b2c/webhook';

interface Reached {
	localAddress?: string;
	/** What a proxy strips from each path. */
	prefix?: string;
}

function endpointOf({ localAddress, prefix = '' }: Reached): string | undefined {
	// What a sender could choose is elsewhere.
	const headers = { host: 'elsewhere.test', 'x-forwarded-host': 'elsewhere.test' };
	const socket = { localAddress, localPort: 5678 };
	const request = { socket, path: RECEIVED, headers, hostname: 'elsewhere.test' };
	const addresses: Record<string, string> = {
		default: `https://elsewhere.test${prefix}${RECEIVED}`,
	};
	return resumeEndpoint({
		getRequestObject: () => request,
		getHeaderData: () => headers,
		getWebhookResourceUrl: (name: string) => addresses[name],
		evaluateExpression: () => `https://elsewhere.test${prefix}/webhook-waiting/7`,
	} as unknown as IWebhookFunctions);
}

it.each([
	['127.0.0.1', 'http://127.0.0.1:5678/webhook-waiting'],
	['::ffff:127.0.0.1', 'http://127.0.0.1:5678/webhook-waiting'],
	['::1', 'http://[::1]:5678/webhook-waiting'],
	['fe80::1%eth0', 'http://[fe80::1%eth0]:5678/webhook-waiting'],
	[undefined, undefined],
])('at the local address %s, n8n resumes executions at %s', (localAddress, expected) => {
	expect(endpointOf({ localAddress })).toBe(expected);
});

it('behind a proxy that strips a prefix, n8n resumes executions at a path without it', () => {
	expect(endpointOf({ localAddress: '127.0.0.1', prefix: '/n8n' })).toBe(
		'http://127.0.0.1:5678/webhook-waiting',
	);
});

describe('the path at which n8n resumes executions', () => {
	it.each([
		['/webhook-waiting', RECEIVED, '/webhook-waiting'],
		['/hooks/waiting', RECEIVED, '/hooks/waiting'],
		['/n8n/webhook-waiting', `/n8n${RECEIVED}`, '/webhook-waiting'],
		['/a/b/hooks/waiting', `/a/b${RECEIVED}`, '/hooks/waiting'],
		['/webhook-waiting', '', '/webhook-waiting'],
		['/webhook-waiting', '/elsewhere', '/webhook-waiting'],
	])('for %s, where the webhook is %s, is %s', (path, publicWebhook, expected) => {
		expect(withoutPublicPrefix(path, publicWebhook, RECEIVED)).toBe(expected);
	});
});
