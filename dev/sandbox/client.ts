import { createHash } from 'node:crypto';

import { poll } from '../stack/poll';
import type { Sandbox } from './index';
import type { HostedLink } from './interface';
import type { MannerName } from './manners';
import type { Model } from './model';
import type { ProfileChange } from './profiles';
import type { FileRequestRecord, LinkRecord, RequestRecord, WebhookRecord } from './state';

const WEBHOOK_TIMEOUT_MS = 60_000;
const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Where a sandbox listens, and its API key. */
export type SandboxAddress = Pick<Sandbox, 'url' | 'filesUrl' | 'apiKey'>;

/** What another process needs to use a sandbox. */
export function addressOf({ url, filesUrl, apiKey }: Sandbox): SandboxAddress {
	return { url, filesUrl, apiKey };
}

/** A webhook in the portal's list, with the receiver's answers. */
export type SentWebhook = Omit<WebhookRecord, 'payload'>;

/** What the sandbox tells of itself. */
export interface SeenState {
	credits: number;
	billed: number;
	/** In the order of their arrival. */
	requests: RequestRecord[];
	webhooks: SentWebhook[];
	links: LinkRecord[];
	fileRequests: FileRequestRecord[];
	/** Those that are on. */
	manners: MannerName[];
}

/** Something that is to go wrong; `faults.ts` has the kinds and their settings. */
export interface Fault {
	on: 'scan' | 'hosted' | 'files' | 'page';
	kind: string;
	[setting: string]: unknown;
}

/**
 * A running sandbox as others see it: its customers, their end users, and whoever steers it.
 * Methods that don't return a `Response` reject when the sandbox refuses the call.
 */
export class SandboxClient {
	constructor(protected address: SandboxAddress) {}

	/** Of the service, without a trailing slash. */
	get url(): string {
		return this.address.url;
	}

	/** Of the regional host, without a trailing slash. */
	get filesUrl(): string {
		return this.address.filesUrl;
	}

	get apiKey(): string {
		return this.address.apiKey;
	}

	/** Calls the service with the API key; a text is sent as it is. */
	async call(path: string, body: unknown, headers: object = {}): Promise<Response> {
		return await send('POST', this.url + path, body, { 'X-API-KEY': this.apiKey, ...headers });
	}

	/** Asks for a hosted link, with these fields of the request in place of the usual ones. */
	async requestLink(fields: object = {}): Promise<Response> {
		const request = { version: 3, mode: 0, profile: 'sandbox-accept', customData: 'customer-1' };
		return await this.call('/hosted', { ...request, ...fields });
	}

	/** Creates a hosted link, as `requestLink` does. */
	async link(fields: object = {}): Promise<HostedLink> {
		return (await (await accepted(this.requestLink(fields))).json()) as HostedLink;
	}

	/** Finishes a hosted link, as a button on its page does. */
	async finish(url: string, scenario: string): Promise<Response> {
		return await finishOnPage(url, scenario);
	}

	/**
	 * Finishes a hosted link of a profile that has a webhook URL, and waits until its webhook has
	 * been answered or couldn't be sent.
	 */
	async finishLink(url: string, scenario: string): Promise<SentWebhook> {
		await accepted(this.finish(url, scenario));
		const reference = url.split('/').at(-1);
		const options = { what: 'the webhook', timeoutMs: WEBHOOK_TIMEOUT_MS, intervalMs: 25 };
		return await poll(async () => {
			const { webhooks } = await this.state();
			return webhooks.find((sent) => sent.reference === reference && sent.attempts.length > 0);
		}, options);
	}

	/** Creates a hosted link and finishes it, as `link` and `finishLink` do. */
	async verify(fields: object, scenario: string): Promise<SentWebhook> {
		return await this.finishLink((await this.link(fields)).url, scenario);
	}

	/**
	 * Presses Resend in the portal, and waits until the webhook has been answered or couldn't be
	 * sent.
	 */
	async resend({ id }: SentWebhook): Promise<void> {
		await accepted(send('POST', `${this.url}/portal/webhooks/${id}/resend`));
	}

	async state(): Promise<SeenState> {
		return (await (await accepted(this.control('GET', 'state'))).json()) as SeenState;
	}

	/** Requests in the order of their arrival. */
	async requests(): Promise<RequestRecord[]> {
		return (await this.state()).requests;
	}

	/** What each request was answered with. */
	async statuses(): Promise<RequestRecord['status'][]> {
		return (await this.requests()).map(({ status }) => status);
	}

	/** When each request arrived, in milliseconds since 1970. */
	async arrivalTimes(): Promise<number[]> {
		return (await this.requests()).map(({ receivedAt }) => Date.parse(receivedAt));
	}

	/** SHA-256 digest of the document of each request; empty for a request without one. */
	async documents(): Promise<string[]> {
		return (await this.requests()).map(({ images }) => images.document?.sha256 ?? '');
	}

	/** Credits that were charged. */
	async billed(): Promise<number> {
		return (await this.state()).billed;
	}

	/** Resets the sandbox. */
	async reset(): Promise<void> {
		await accepted(this.control('POST', 'reset'));
	}

	async fault(fault: Fault): Promise<void> {
		await accepted(this.control('POST', 'faults', fault));
	}

	/** Lets something go wrong with the scan of a document. */
	async faultOn(
		document: Buffer | undefined,
		fault: { kind: string; [setting: string]: unknown },
	): Promise<void> {
		const matchDocumentSha256 = sha256(document as Buffer);
		await this.fault({ on: 'scan', matchDocumentSha256, ...fault });
	}

	/** Holds the answer to the scan of a document until it is released. */
	async hold(document: Buffer | undefined): Promise<void> {
		await this.faultOn(document, { kind: 'held' });
	}

	/** Releases the scans that are held: that of one document, or all. */
	async release(document?: Buffer): Promise<void> {
		const documentSha256 = document && sha256(document);
		await accepted(this.control('POST', 'release', { documentSha256 }));
	}

	/** Refuses the scan of a document with status 400, once unless told otherwise. */
	async refuse(document: Buffer | undefined, times: Fault['times'] = 1): Promise<void> {
		await this.faultOn(document, { kind: 'status', status: 400, times });
	}

	/**
	 * Switches these manners on and all others off; `manners.ts` says what each does. A manner
	 * stays on until the next call or a reset.
	 */
	async setManners(...manners: MannerName[]): Promise<void> {
		await accepted(this.control('PUT', 'manners', { manners }));
	}

	/** Makes the time between webhooks pass that many times faster. */
	async setClock(speed: number): Promise<void> {
		await accepted(this.control('PUT', 'clock', { speed }));
	}

	/** Makes the service as fast as the model says, from now on. */
	async setModel(model: Model): Promise<void> {
		await accepted(this.control('PUT', 'model', model));
	}

	async setCredits(credits: number): Promise<void> {
		await accepted(this.control('PUT', 'credits', { credits }));
	}

	/** Creates or changes a profile. */
	async setProfile(id: string, change: ProfileChange): Promise<void> {
		await accepted(this.control('PUT', `profiles/${id}`, change));
	}

	/** A call of the control interface. */
	async control(method: string, path: string, body?: unknown): Promise<Response> {
		return await send(method, `${this.url}/_sandbox/${path}`, body);
	}
}

/** Finishes a hosted link, as a button on its page does. */
export async function finishOnPage(url: string, scenario: string): Promise<Response> {
	return await send('POST', url, new URLSearchParams({ scenario }));
}

/** In hexadecimal, as the sandbox records it for each image. */
export function sha256(content: Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}

async function send(
	method: string,
	url: string,
	body?: unknown,
	headers: object = {},
): Promise<Response> {
	const isRaw = body === undefined || body instanceof URLSearchParams;
	return await fetch(url, {
		method,
		redirect: 'manual',
		headers: { ...(isRaw ? {} : JSON_TYPE), ...headers },
		body: isRaw || typeof body === 'string' ? body : JSON.stringify(body),
	});
}

/** Rejects when the sandbox answered with an error. */
export async function accepted(answer: Promise<Response>): Promise<Response> {
	const response = await answer;
	if (response.status < 400) return response;
	const { pathname } = new URL(response.url);
	throw new Error(
		`The sandbox answered ${pathname} with ${response.status}: ${await response.text()}`,
	);
}
