import { IS_N8N_1, openStack } from '../kit/n8n/handle';

const { api, credential, sandbox } = openStack();
const { id, ...values } = credential;

// n8n 1 can be told to take no status for a failure, or each but 2xx, and nothing in between.
const ANSWERS_TO_WRONG_KEY = IS_N8N_1
	? { status: 'OK' }
	: { status: 'Error', message: 'The service refused this API key' };

describe("n8n's test of the credential", () => {
	it('is passed with the right key, and spends nothing', async () => {
		const before = await sandbox.billed();
		expect(await api.testCredential(id, values)).toMatchObject({ status: 'OK' });
		expect(await sandbox.billed()).toEqual(before);
	});

	it('says that the service refused a wrong key, in n8n 2', async () => {
		const wrong = { ...values, data: { ...values.data, apiKey: 'another-key' } };
		expect(await api.testCredential(id, wrong)).toMatchObject(ANSWERS_TO_WRONG_KEY);
	});
});
