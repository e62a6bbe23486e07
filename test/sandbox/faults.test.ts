import { useFresh } from '../kit/sandbox';
import { SandboxUnderTest } from '../kit/sandboxUnderTest';

const client = useFresh(new SandboxUnderTest());

describe.each(['scan', 'hosted'] as const)('on %s', (on) => {
	const send = async () => (on === 'scan' ? await client.scan() : await client.requestLink());
	const price = on === 'scan' ? 1 : 2;

	it.each([
		['unauthorized', 401],
		['tooManyRequests', 429],
		['serverError', 500],
		['html', 502],
	])('%s answers %i once, for free', async (kind, status) => {
		await client.fault({ on, kind });
		const response = await send();
		expect(response.status).toBe(status);
		const isHtml = response.headers.get('content-type')?.startsWith('text/html');
		expect(isHtml).toBe(kind === 'html');
		expect(await client.state()).toMatchObject({ billed: 0, requests: [{ status, billed: 0 }] });
		expect((await send()).status).toBe(200);
	});

	it('truncated answers half of a JSON and is billed', async () => {
		await client.fault({ on, kind: 'truncated' });
		const response = await send();
		expect(response.status).toBe(200);
		const body = await response.text();
		expect(body).toMatch(/^\{"/);
		expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
		expect((await client.state()).billed).toBe(price);
	});

	it('broken destroys the connection after reading, and is billed', async () => {
		await client.fault({ on, kind: 'broken' });
		await expect(send()).rejects.toThrow();
		const { billed, requests } = await client.state();
		expect(billed).toBe(price);
		expect(requests).toMatchObject([{ status: null, billed: price }]);
		expect(requests[0]?.bodyBytes).toBeGreaterThan(0);
	});
});
