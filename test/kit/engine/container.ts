import type * as backendCommon from '@n8n/backend-common';
import type * as di from '@n8n/di';

declare global {
	/** Loads a module as n8n-core does: see environment.js. */
	const fromN8nCore: NodeJS.Require;
}

// n8n-core keeps its services in the container of the exact @n8n/di that it depends on. Another
// development dependency may bring a second copy.
export const { Container } = fromN8nCore('@n8n/di') as typeof di;
export const { Logger } = fromN8nCore('@n8n/backend-common') as typeof backendCommon;

/** n8n's HTTP client, as far as tests replace it. */
interface HttpClient {
	requests(): { request(options: object): Promise<unknown> };
}

export const { OutboundHttp } = fromN8nCore('@n8n/backend-network') as {
	OutboundHttp: new () => HttpClient;
};
