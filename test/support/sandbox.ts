import { createHash } from 'node:crypto';

import type { Sandbox } from '../../dev/sandbox';
import { startSandbox } from '../../dev/sandbox';
import type { RequestRecord, SandboxState } from '../../dev/sandbox/state';

export type SandboxView = Pick<SandboxState, 'credits' | 'billed' | 'requests' | 'fileRequests'>;

export interface Fault {
	on: 'scan' | 'hosted' | 'files' | 'page';
	kind: string;
	[setting: string]: unknown;
}

/** A running sandbox that is as new for each test, and what tests ask of it. */
export interface TestSandbox {
	readonly url: string;
	readonly filesUrl: string;
	readonly apiKey: string;
	state(): Promise<SandboxView>;
	/** Requests in the order of their arrival. */
	requests(): Promise<RequestRecord[]>;
	billed(): Promise<number>;
	fault(fault: Fault): Promise<void>;
	setCredits(credits: number): Promise<void>;
	/** Creates or changes a profile. */
	setProfile(id: string, settings: object): Promise<void>;
}

/** Starts a sandbox for the tests of a file. */
export function useSandbox(): TestSandbox {
	let sandbox: Sandbox;
	beforeAll(async () => {
		sandbox = await startSandbox({ port: 0, filesPort: 0 });
	});
	beforeEach(async () => await control('POST', 'reset'));
	afterAll(async () => await sandbox.close());

	async function control(method: string, path: string, body: object = {}): Promise<void> {
		const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
			method,
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify(body),
		});
		if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`);
	}

	const state = async () =>
		(await (await fetch(`${sandbox.url}/_sandbox/state`)).json()) as SandboxView;

	return {
		get url() {
			return sandbox.url;
		},
		get filesUrl() {
			return sandbox.filesUrl;
		},
		get apiKey() {
			return sandbox.apiKey;
		},
		state,
		requests: async () => (await state()).requests,
		billed: async () => (await state()).billed,
		fault: async (fault) => await control('POST', 'faults', fault),
		setCredits: async (credits) => await control('PUT', 'credits', { credits }),
		setProfile: async (id, settings) => await control('PUT', `profiles/${id}`, settings),
	};
}

export function sha256(content: Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}
