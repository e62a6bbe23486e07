import type { SandboxState } from './state';

/** What all parts of the sandbox share. */
export interface Context {
	readonly state: SandboxState;
	readonly apiKey: string;
	/** As in `SandboxOptions`. */
	readonly webhookSecret?: string;
	/** Aborted when the sandbox closes. */
	readonly closing: AbortSignal;
	/** Address of the service; known once it listens. */
	url: string;
	/** Address of the regional host; known once it listens. */
	filesUrl: string;
}
