import { createHash } from 'node:crypto';

import { startSandbox } from '../../dev/sandbox';
import type { Sandbox } from '../../dev/sandbox';
import { SandboxClient } from '../../dev/sandbox/client';
import type { Fault } from '../../dev/sandbox/client';

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

	/** Lets something go wrong with the scan of a document; it's refused if no kind of fault is given. */
	async faultOn(document: Buffer | undefined, fault: Partial<Fault> = {}): Promise<void> {
		const matchDocumentSha256 = sha256(document as Buffer);
		const kind = fault.kind === undefined ? { kind: 'status', status: 400 } : {};
		await this.fault({ on: 'scan', matchDocumentSha256, ...kind, ...fault } as Fault);
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
