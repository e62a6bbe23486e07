import { z } from 'zod/v4';

import { poll } from '../../../dev/stack/poll';
import { inParallel } from '../../../nodes/IdentityVerification/run/parallel';

/** Buttons of the sandbox's hosted page, one for each decision. */
const BUTTONS = ['accept', 'lowConfidence', 'aml'];
const SETTLE_TIMEOUT_MS = 180_000;

const RECEIVED = JSON.stringify({ received: true });

const attempt = z.object({ status: z.number().nullable(), body: z.string() });
/** Status null means that no answer came. */
export type Attempt = z.infer<typeof attempt>;

const sentWebhook = z.object({
	id: z.string(),
	profile: z.string(),
	customData: z.string(),
	attempts: z.array(attempt),
});
/** A webhook in the portal's list. */
export type SentWebhook = z.infer<typeof sentWebhook>;

/** Whether the trigger answered: for a moment of its start n8n answers 200 to everything. */
export function isReceived({ status, body }: Attempt): boolean {
	return status === 200 && body === RECEIVED;
}

export function isAnswered({ attempts }: SentWebhook): boolean {
	return attempts.some(isReceived);
}

/** A running sandbox. In Jest's own sandbox it's slow: it has to run outside of the tests. */
export interface Service {
	url: string;
	apiKey: string;
}

/** What a customer does with the service: links, people who finish them, and the web portal. */
export class Portal {
	constructor(private readonly service: Service) {}

	async setProfile(id: string, settings: object): Promise<void> {
		await this.send('PUT', `/_sandbox/profiles/${id}`, JSON.stringify(settings));
	}

	/**
	 * Creates links and lets a person finish each, at a number of connections. Their webhooks are in
	 * the portal's list afterwards, each with its first attempt.
	 */
	async finishLinks(
		profile: string,
		customData: string[],
		connections: number,
		buttons = BUTTONS,
	): Promise<void> {
		await inParallel(customData.length, connections, async (index) => {
			const link = { version: 3, mode: 1, profile, customData: customData[index] };
			const answer = await this.send('POST', '/hosted', JSON.stringify(link));
			const { url } = z.object({ url: z.string() }).parse(await answer.json());
			const scenario = buttons[index % buttons.length] ?? 'accept';
			await this.send('POST', new URL(url).pathname, new URLSearchParams({ scenario }));
		});
		const isSettled = ({ attempts }: SentWebhook) => attempts.length > 0;
		await poll(
			async () => {
				const webhooks = await this.webhooks(profile);
				const isDone = webhooks.length === customData.length && webhooks.every(isSettled);
				return isDone || undefined;
			},
			{ what: 'the first attempt of each webhook', timeoutMs: SETTLE_TIMEOUT_MS },
		);
	}

	/** The portal's list of a profile's sent webhooks. */
	async webhooks(profile: string): Promise<SentWebhook[]> {
		const state = await this.send('GET', '/_sandbox/state');
		const { webhooks } = z.object({ webhooks: z.array(sentWebhook) }).parse(await state.json());
		return webhooks.filter((webhook) => webhook.profile === profile);
	}

	/** Presses Resend; resolves when the receiver has answered or can't. */
	async resend({ id }: SentWebhook): Promise<void> {
		await this.send('POST', `/portal/webhooks/${id}/resend`);
	}

	private async send(
		method: string,
		path: string,
		body?: string | URLSearchParams,
	): Promise<Response> {
		const json = { 'content-type': 'application/json' };
		const answer = await fetch(`${this.service.url}${path}`, {
			method,
			headers: { 'x-api-key': this.service.apiKey, ...(typeof body === 'string' ? json : {}) },
			body,
			redirect: 'manual',
		});
		if (answer.status < 400) return answer;
		throw new Error(`The sandbox answered ${method} ${path} with ${answer.status}.`);
	}
}
