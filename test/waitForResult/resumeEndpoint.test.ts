import { withoutPublicPrefix } from '../../nodes/IdentityVerification/delivery/resumeEndpoint';

// That n8n listens there needs a whole n8n: test/e2e/waitForResult/interrupted.

describe('the path at which n8n resumes executions', () => {
	const RECEIVED = '/webhook/1b2c/webhook';

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
