import { startSandbox } from '../../../dev/sandbox';
import type { Sandbox } from '../../../dev/sandbox';
import { SandboxClient } from '../../../dev/sandbox/client';

export { sha256 } from '../../../dev/sandbox/client';

/** A sandbox of its own for tests, on free ports, with its client. */
export class TestSandbox extends SandboxClient {
	private sandbox?: Sandbox;

	constructor() {
		super({ url: '', filesUrl: '', apiKey: '' });
	}

	async start(): Promise<this> {
		this.sandbox = await startSandbox({ port: 0, filesPort: 0 });
		this.address = this.sandbox;
		return this;
	}

	async close(): Promise<void> {
		await this.sandbox?.close();
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
