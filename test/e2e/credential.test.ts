import { unusedUrl } from '../kit/service/httpServer';
import { listenWithOwnCertificate } from '../kit/service/httpsHosts';
import { readDocument, tableRows } from '../kit/markdown';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { isN8nSince, openStack } from '../kit/n8n/stack';
import { n8nNode, webhookNode, workflowOf } from '../kit/n8n/workflow';

const { api, credential, sandbox } = openStack();
const { id, ...values } = credential;
const sandboxInN8n = useSandboxInN8n(api, '');

const ANSWER_TO_WRONG_KEY = {
	// Before its version 2.11, n8n can be told to take no status for a failure, or each but 2xx, and
	// nothing in between.
	status: isN8nSince(2, 11) ? 'Error' : 'OK',
	// n8n 2.20 says it in words of its own.
	message: isN8nSince(2, 39)
		? 'The service refused this API key, or a firewall in front of it refused n8n'
		: expect.any(String),
};

describe("n8n's test of the credential", () => {
	it('says that the service refused a wrong key, where n8n can', async () => {
		const wrong = { ...values, data: { ...values.data, apiKey: 'another-key' } };
		expect(await api.testCredential(id, wrong)).toMatchObject(ANSWER_TO_WRONG_KEY);
	});

	const withHttps = (url: string) => url.replace('http:', 'https:');

	it.each([
		['a server without https', 'EPROTO', () => withHttps(sandbox.url)],
		['no server', 'ECONNREFUSED', async () => withHttps(await unusedUrl())],
		[
			'an authority of its own',
			'DEPTH_ZERO_SELF_SIGNED_CERT',
			async () => await listenWithOwnCertificate((_, response) => response.end()),
		],
		['no https in the Base URL', 'ERR_INVALID_URL', () => 'http://api.example.com'],
	])('says of %s what docs/reference.md explains', async (_, code, address) => {
		const baseUrl = await address();
		const wrong = { ...values, data: { ...values.data, baseUrl } };

		const { status, message } = await api.testCredential(id, wrong);

		const explained = tableRows(readDocument('docs/reference.md'), 'What it says');
		expect(status).toBe('Error');
		// Older versions of n8n say it in words of their own.
		if (isN8nSince(2, 39)) expect(message).toBe(code);
		expect(explained.map(([text]) => text).join()).toContain(code);
	});
});

it("n8n's HTTP Request node can't send the key anywhere unless the credential says so", async () => {
	const credentialId = await sandboxInN8n.saveCredential({});
	const request = n8nNode('Request', 'httpRequest', 4.2, {
		method: 'POST',
		url: `${sandboxInN8n.sandbox.url}/scan`,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: credential.type,
	});
	request.credentials = { [credential.type]: { id: credentialId, name: 'Credential' } };
	const workflow = await LiveWorkflow.start(
		api,
		workflowOf([webhookNode('Start'), request], [['Start', 'Request']]),
	);

	await workflow.send('Start', {});

	const { status, data } = await workflow.takeExecution();
	expect(status).toBe('error');
	expect(data.Request?.[0]?.error?.message).toMatch(/configured to prevent use/);
	expect(await sandboxInN8n.sandbox.requests()).toEqual([]);
});
