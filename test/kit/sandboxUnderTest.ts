import type { LinkRecord } from '../../dev/sandbox/state';
import { poll } from '../../dev/stack/poll';
import { picture } from './imageBytes';
import { TestSandbox } from './sandbox';

export const DOCUMENT = picture();

/** Talks to a sandbox over HTTP as the package does, and as it shouldn't. */
export class SandboxClient extends TestSandbox {
	/** A call of the service with the API key. */
	async call(path: string, body: unknown, headers: object = {}): Promise<Response> {
		return await fetch(this.url + path, {
			method: 'POST',
			redirect: 'manual',
			headers: { 'X-API-KEY': this.apiKey, 'Content-Type': 'application/json', ...headers },
			body: typeof body === 'string' ? body : JSON.stringify(body),
		});
	}

	async scan(fields: object = {}): Promise<Response> {
		const document = DOCUMENT.toString('base64');
		return await this.call('/scan', { profile: 'sandbox-accept', document, ...fields });
	}

	async createLink(fields: object = {}): Promise<Response> {
		const body = { version: 3, customData: 'customer-1', mode: 0, profile: 'sandbox-accept' };
		return await this.call('/hosted', { ...body, ...fields });
	}

	/** A link that is created and answered well. */
	async link(fields: object = {}): Promise<LinkRecord & { qrCode: string }> {
		return await json(await this.createLink(fields));
	}

	async finish(url: string, scenario: string): Promise<Response> {
		const body = new URLSearchParams({ scenario });
		return await fetch(url, { method: 'POST', body, redirect: 'manual' });
	}
}

/** The JSON of an answer, as the type that the test expects. */
export async function json<Body>(response: Response): Promise<Body> {
	return (await response.json()) as Body;
}

/** Waits until the reading gives a value. */
export async function eventually<Value>(
	reading: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
	const options = { what: 'it to happen', timeoutMs: 20_000, intervalMs: 25 };
	return await poll(async () => await reading(), options);
}
