import { picture } from '../kit/imageBytes';
import { sha256, useFresh } from '../kit/sandbox';
import type { Fault } from '../../dev/sandbox/client';
import { DOCUMENT, eventually, SandboxUnderTest } from '../kit/sandboxUnderTest';

const client = useFresh(new SandboxUnderTest());

/** Statuses of scans sent one after another. */
async function statuses(count: number): Promise<number[]> {
	const found: number[] = [];
	for (let index = 0; index < count; index += 1) found.push((await client.scan()).status);
	return found;
}

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

	it('tooManyRequests says when to come back', async () => {
		await client.fault({ on, kind: 'tooManyRequests', retryAfter: 7 });
		expect((await send()).headers.get('retry-after')).toBe('7');
		await client.fault({ on, kind: 'tooManyRequests' });
		expect((await send()).headers.get('retry-after')).toBeNull();
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

it('noAnswer never answers, is billed, and close() ends it at once', async () => {
	const own = await new SandboxUnderTest().start();
	await own.fault({ on: 'scan', kind: 'noAnswer' });
	const outcome = own.scan().then(
		() => 'answered',
		() => 'ended',
	);
	await eventually(async () => (await own.billed()) || undefined);
	const waited = await Promise.race([outcome, new Promise((done) => setTimeout(done, 400))]);
	const state = await own.state();
	const start = Date.now();
	await own.close();
	expect(waited).toBeUndefined();
	expect(state).toMatchObject({ billed: 1, requests: [{ status: null, billed: 1 }] });
	expect(Date.now() - start).toBeLessThan(10_000);
	expect(await outcome).toBe('ended');
});

it('strikes as often as asked, after the requests that may pass', async () => {
	await client.fault({ on: 'scan', kind: 'serverError', skip: 1, times: 2 });
	expect(await statuses(5)).toEqual([200, 500, 500, 200, 200]);
});

it('strikes by chance, the same way for the same seed', async () => {
	const fault: Fault = { on: 'scan', kind: 'serverError', times: 'always', probability: 0.5 };
	const runs: number[][] = [];
	for (const seed of [42, 42, 43]) {
		await client.clearFaults();
		await client.fault({ ...fault, seed });
		runs.push(await statuses(24));
	}
	expect(runs[0]).toEqual(runs[1]);
	expect(runs[0]).not.toEqual(runs[2]);
	const struck = runs[0]?.filter((status) => status === 500).length ?? 0;
	expect(struck).toBeGreaterThan(4);
	expect(struck).toBeLessThan(20);
});

it('strikes the requests with one document only', async () => {
	const other = picture();
	const matchDocumentSha256 = sha256(other);
	await client.fault({ on: 'scan', kind: 'serverError', times: 'always', matchDocumentSha256 });
	expect((await client.scan()).status).toBe(200);
	expect((await client.scan({ document: other.toString('base64') })).status).toBe(500);
	expect((await client.scan({ document: DOCUMENT.toString('base64') })).status).toBe(200);
});
