import type { Sandbox } from '../../dev/sandbox';

const VARIABLE = 'QUEUE_TEST_SANDBOX';

/** What tests need of the sandbox that the global setup has started. */
export type SandboxHandle = Pick<Sandbox, 'url' | 'filesUrl' | 'apiKey'>;

export function handOver({ url, filesUrl, apiKey }: SandboxHandle): void {
	process.env[VARIABLE] = JSON.stringify({ url, filesUrl, apiKey });
}

export function openSandbox(): SandboxHandle {
	const text = process.env[VARIABLE];
	if (!text) throw new Error('The queue mode tests run with their own Jest configuration only.');
	return JSON.parse(text) as SandboxHandle;
}
