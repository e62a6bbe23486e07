import { startSandbox } from '../../../dev/sandbox';
import type { Sandbox } from '../../../dev/sandbox';
import { SandboxClient } from '../../../dev/sandbox/client';
import { until } from '../until';

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

	/** Resolves when so many scans and requests for links have arrived. */
	async untilArrived(count: number): Promise<void> {
		await until('requests to arrive', async () => (await this.requests()).length >= count);
	}

	/** Resolves when so many of them were answered with a status. */
	async untilAnswered(status: number, count = 1): Promise<void> {
		await until(`answers with status ${status}`, async () => {
			const answers = await this.statuses();
			return answers.filter((answer) => answer === status).length >= count;
		});
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
