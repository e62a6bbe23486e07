import { isN8n, openStack } from '../kit/n8n/handle';

const { api, credential, sandbox } = openStack();
const { id, ...values } = credential;

const ANSWER_TO_WRONG_KEY = {
	// Before its version 2.11, n8n can be told to take no status for a failure, or each but 2xx, and nothing in between.
	status: isN8n(2, 11) ? 'Error' : 'OK',
	// n8n 2.20 says it in words of its own.
	message: isN8n(2, 39) ? 'The service refused this API key' : expect.any(String),
};

describe("n8n's test of the credential", () => {
	it('is passed with the right key, and spends nothing', async () => {
		const before = await sandbox.billed();
		expect(await api.testCredential(id, values)).toMatchObject({ status: 'OK' });
		expect(await sandbox.billed()).toEqual(before);
	});

	it('says that the service refused a wrong key, where n8n can', async () => {
		const wrong = { ...values, data: { ...values.data, apiKey: 'another-key' } };
		expect(await api.testCredential(id, wrong)).toMatchObject(ANSWER_TO_WRONG_KEY);
	});
});
