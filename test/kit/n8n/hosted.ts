import { z } from 'zod/v4';

import { poll } from '../../../dev/stack/poll';
import { hostedLink } from '../../../nodes/IdentityVerification/contract';
import type { TestSandbox } from '../sandbox';

const sentWebhook = z.object({
	reference: z.string(),
	customData: z.string(),
	transactionId: z.string(),
	attempts: z.array(z.object({ status: z.number().nullable(), body: z.string() })),
});
/** A webhook that the sandbox has sent, with the receiver's answers. */
export type SentWebhook = z.infer<typeof sentWebhook>;

/** Creates a link as the service's users do, without n8n. */
export async function createLink(
	{ url, apiKey }: TestSandbox,
	profile: string,
	customData: string,
): Promise<string> {
	const answer = await fetch(`${url}/hosted`, {
		method: 'POST',
		headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
		body: JSON.stringify({ version: 3, mode: 0, profile, customData }),
	});
	return hostedLink.parse(await answer.json()).url;
}

/** Finishes a link on its hosted page. Resolves when the webhook has been answered. */
export async function finishLink(
	{ url }: TestSandbox,
	link: string,
	scenario: string,
): Promise<SentWebhook> {
	await fetch(link, { method: 'POST', body: new URLSearchParams({ scenario }) });
	const reference = link.split('/').at(-1);
	return await poll(
		async () => {
			const state: unknown = await (await fetch(`${url}/_sandbox/state`)).json();
			const { webhooks } = z.object({ webhooks: z.array(sentWebhook) }).parse(state);
			return webhooks.find((sent) => sent.reference === reference && sent.attempts.length > 0);
		},
		{ what: 'the webhook', timeoutMs: 60_000, intervalMs: 100 },
	);
}
