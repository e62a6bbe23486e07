import type { Sandbox } from '../../dev/sandbox';
import { addressOf, SandboxClient } from '../../dev/sandbox/client';
import type { SandboxAddress } from '../../dev/sandbox/client';

const VARIABLE = 'QUEUE_TEST_SANDBOX';

export function handOver(sandbox: Sandbox): void {
	process.env[VARIABLE] = JSON.stringify(addressOf(sandbox));
}

/** The sandbox that the global setup has started. */
export function openSandbox(): SandboxClient {
	const text = process.env[VARIABLE];
	if (!text) throw new Error('The queue mode tests run with their own Jest configuration only.');
	return new SandboxClient(JSON.parse(text) as SandboxAddress);
}
