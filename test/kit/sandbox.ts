import { createHash } from 'node:crypto';

import type { Sandbox } from '../../dev/sandbox';
import { startSandbox } from '../../dev/sandbox';
import type { Model } from '../../dev/sandbox/model';
import type {
	FileRequestRecord,
	LinkRecord,
	RequestRecord,
	WebhookRecord,
} from '../../dev/sandbox/state';

/** What the sandbox tells of itself. */
export interface SeenState {
	credits: number;
	billed: number;
	requests: RequestRecord[];
	webhooks: WebhookRecord[];
	links: LinkRecord[];
	fileRequests: FileRequestRecord[];
}

export interface Fault {
	on: 'scan' | 'hosted' | 'files' | 'page';
	kind: string;
	[setting: string]: unknown;
}

/** A sandbox on free ports, and what tests ask of it. */
export class TestSandbox {
	private sandbox!: Sandbox;

	async start(): Promise<this> {
		this.sandbox = await startSandbox({ port: 0, filesPort: 0 });
		return this;
	}

	async close(): Promise<void> {
		await this.sandbox.close();
	}

	get url(): string {
		return this.sandbox.url;
	}

	get filesUrl(): string {
		return this.sandbox.filesUrl;
	}

	get apiKey(): string {
		return this.sandbox.apiKey;
	}

	async state(): Promise<SeenState> {
		return (await (await this.control('GET', 'state')).json()) as SeenState;
	}

	/** Requests in the order of their arrival. */
	async requests(): Promise<RequestRecord[]> {
		return (await this.state()).requests;
	}

	async billed(): Promise<number> {
		return (await this.state()).billed;
	}

	async reset(): Promise<void> {
		await this.command('POST', 'reset');
	}

	async fault(fault: Fault): Promise<void> {
		await this.command('POST', 'faults', fault);
	}

	/** Makes the service as fast as the model says, from now on. */
	async setModel(model: Model): Promise<void> {
		await this.command('PUT', 'model', model);
	}

	async setCredits(credits: number): Promise<void> {
		await this.command('PUT', 'credits', { credits });
	}

	/** Creates or changes a profile. */
	async setProfile(id: string, settings: object): Promise<void> {
		await this.command('PUT', `profiles/${id}`, settings);
	}

	/** A call of the control interface that may be refused. */
	async control(method: string, path: string, body?: unknown): Promise<Response> {
		const headers = body === undefined ? undefined : { 'Content-Type': 'application/json' };
		const init = { method, headers, body: JSON.stringify(body) };
		return await fetch(`${this.url}/_sandbox/${path}`, init);
	}

	private async command(method: string, path: string, body?: object): Promise<void> {
		const response = await this.control(method, path, body);
		if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
	}
}

/** Starts a sandbox for the tests of a file; it's as new for each test. */
export function useSandbox(): TestSandbox {
	return useFresh(new TestSandbox());
}

/** The same with a client that can do more. */
export function useFresh<Client extends TestSandbox>(client: Client): Client {
	beforeAll(async () => void (await client.start()));
	beforeEach(async () => await client.reset());
	afterAll(async () => await client.close());
	return client;
}

export function sha256(content: Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}
