import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';

import type { Context } from './context';
import { changedProfile, profileChange } from './profiles';
import type { Profile } from './profiles';
import { Refusal } from './refusal';
import { SCENARIOS } from './scenarios';
import type { WebhookRecord } from './state';
import { renderPage } from './views';
import { deliver } from './webhooks';

const HELPERS = { labels: labels(), settings, time, answer };

interface ById {
	Params: { id: string };
	Body?: { webhookUrl?: string };
}

/** The customer's portal: profiles, credits and sent webhooks with a button to resend (interface.md#webhook). */
export async function portal(server: FastifyInstance, context: Context): Promise<void> {
	const { state } = context;
	await server.register(formbody);
	server.get('/portal', async (_request, reply) => {
		const { credits, quota } = state;
		const profiles = [...state.profiles.values()];
		const webhooks = [...state.webhooks].reverse();
		const page = renderPage('portal', { ...HELPERS, credits, quota, profiles, webhooks });
		return reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(page);
	});
	server.post<ById>('/portal/profiles/:id', async ({ params, body }, reply) => {
		const profile = state.profiles.get(params.id);
		const change = profileChange.safeParse({ webhookUrl: body?.webhookUrl?.trim() || null });
		if (!profile) throw new Refusal(404, 'There is no such profile.');
		if (!change.success) throw new Refusal(400, 'The webhook URL must be a whole address.');
		state.profiles.set(params.id, changedProfile(params.id, profile, change.data));
		return reply.redirect('/portal', 303);
	});
	server.post<ById>('/portal/webhooks/:id/resend', async ({ params }, reply) => {
		const webhook = state.webhooks.find(({ id }) => id === params.id);
		if (!webhook) throw new Refusal(404, 'There is no such webhook.');
		await deliver(webhook, context);
		return reply.redirect('/portal#webhooks', 303);
	});
}

function labels(): Record<string, string> {
	return Object.fromEntries(SCENARIOS.map(({ scenario, label }) => [scenario, label]));
}

function settings({ auditReport, allowFileUpload, redirectUrl, companyName }: Profile): string {
	const enabled = [
		companyName,
		auditReport && 'audit report',
		allowFileUpload && 'file upload',
		redirectUrl && `redirect to ${redirectUrl}`,
	];
	return enabled.filter(Boolean).join(', ');
}

function time(iso: string | undefined): string {
	return iso ? `${iso.slice(0, 19).replace('T', ' ')} UTC` : '';
}

/** What the receiver answered last, and how often the webhook was sent. */
function answer({ attempts }: WebhookRecord): string {
	const last = attempts.at(-1);
	if (!last) return 'waiting';
	const status = last.status === null ? 'no answer' : String(last.status);
	return attempts.length === 1 ? status : `${status} (sent ${attempts.length} times)`;
}
