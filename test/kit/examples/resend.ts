import { z } from 'zod/v4';

import type { TestSandbox } from '../sandbox';
import type { SentWebhook } from '../n8n/hosted';

const state = z.object({ webhooks: z.array(z.object({ id: z.string(), reference: z.string() })) });

/** Presses Resend in the service's portal; resolves when the receiver has answered. */
export async function resend({ url }: TestSandbox, { reference }: SentWebhook): Promise<void> {
	const { webhooks } = state.parse(await (await fetch(`${url}/_sandbox/state`)).json());
	const webhook = webhooks.find((sent) => sent.reference === reference);
	await fetch(`${url}/portal/webhooks/${webhook?.id}/resend`, { method: 'POST' });
}
