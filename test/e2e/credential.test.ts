import { openStack } from './handle';

const { api, credential, sandboxUrl } = openStack();
const { id, ...values } = credential;

async function creditsSpent(): Promise<unknown> {
	const state = (await (await fetch(`${sandboxUrl}/_sandbox/state`)).json()) as { billed: unknown };
	return state.billed;
}

describe("n8n's test of the credential", () => {
	it('is passed with the right key, and spends nothing', async () => {
		const before = await creditsSpent();
		expect(await api.testCredential(id, values)).toMatchObject({ status: 'OK' });
		expect(await creditsSpent()).toEqual(before);
	});

	it('says that the service refused a wrong key', async () => {
		const wrong = { ...values, data: { ...values.data, apiKey: 'another-key' } };
		expect(await api.testCredential(id, wrong)).toEqual({
			status: 'Error',
			message: 'The service refused this API key',
		});
	});
});
