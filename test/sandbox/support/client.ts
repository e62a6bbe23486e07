import { startSandbox } from '../../../dev/sandbox';
import type { Sandbox } from '../../../dev/sandbox';
import type {
	FileRequestRecord,
	LinkRecord,
	RequestRecord,
	WebhookRecord,
} from '../../../dev/sandbox/state';

export const DOCUMENT = Buffer.from('picture of a document');

export interface SeenState {
	credits: number;
	billed: number;
	requests: RequestRecord[];
	webhooks: WebhookRecord[];
	links: LinkRecord[];
	fileRequests: FileRequestRecord[];
}

/** A sandbox on free ports with what tests need to talk to it over HTTP. */
export class SandboxClient {
	sandbox!: Sandbox;

	static async start(): Promise<SandboxClient> {
		const client = new SandboxClient();
		client.sandbox = await startSandbox({ port: 0, filesPort: 0 });
		return client;
	}

	/** One for the tests of a file, as new for each test. */
	static forTests(): SandboxClient {
		const client = new SandboxClient();
		beforeAll(async () => {
			client.sandbox = await startSandbox({ port: 0, filesPort: 0 });
		});
		beforeEach(async () => {
			await client.control('POST', 'reset');
		});
		afterAll(async () => {
			await client.close();
		});
		return client;
	}

	get url(): string {
		return this.sandbox.url;
	}

	async close(): Promise<void> {
		await this.sandbox.close();
	}

	/** A call of the service with the API key. */
	async call(path: string, body: unknown, headers: object = {}): Promise<Response> {
		return await fetch(this.url + path, {
			method: 'POST',
			redirect: 'manual',
			headers: { 'X-API-KEY': 'sandbox-key', 'Content-Type': 'application/json', ...headers },
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

	async control(method: string, path: string, body?: unknown): Promise<Response> {
		const headers = body === undefined ? undefined : { 'Content-Type': 'application/json' };
		const init = { method, headers, body: JSON.stringify(body) };
		return await fetch(`${this.url}/_sandbox/${path}`, init);
	}

	async fault(fault: object): Promise<void> {
		const response = await this.control('POST', 'faults', fault);
		if (response.status !== 200) throw new Error(await response.text());
	}

	async state(): Promise<SeenState> {
		return await json(await this.control('GET', 'state'));
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
	for (let tries = 0; tries < 200; tries += 1) {
		const value = await reading();
		if (value !== undefined) return value;
		await new Promise((resolve) => setTimeout(resolve, 25));
	}
	throw new Error('It did not happen within five seconds.');
}
