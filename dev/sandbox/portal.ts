import formbody from '@fastify/formbody';
import type { FastifyError, FastifyInstance } from 'fastify';

import type { Context } from './context';
import { Manners, mannerNames } from './manners';
import { requestLink } from './portalLink';
import type { LinkForm } from './portalLink';
import { sendPortalPage } from './portalPage';
import { changedProfile, profileChange } from './profiles';
import { Refusal } from './refusal';
import { deliver } from './webhooks';

interface ById {
	Params: { id: string };
	Body?: { webhookUrl?: string };
}

/**
 * The customer's portal: credits, profiles, a button that creates a hosted link, sent webhooks with
 * a button to resend (interface.md#webhook), and the manners of the service.
 */
export async function portal(server: FastifyInstance, context: Context): Promise<void> {
	const { state } = context;
	await server.register(formbody);
	server.setErrorHandler<FastifyError | Refusal>((error, { body }, reply) => {
		void reply.code(error.statusCode ?? 500);
		// Fields of another form than the link's have other names.
		return sendPortalPage(reply, context, { problem: error.message, form: body as LinkForm });
	});
	server.get<{ Querystring: { link?: string; saved?: string; manners?: string } }>(
		'/portal',
		async ({ query }, reply) => {
			const { saved, manners } = query;
			const link = state.links.get(query.link ?? '');
			const areMannersSaved = manners !== undefined;
			return sendPortalPage(reply, context, { link, form: link, saved, areMannersSaved });
		},
	);
	server.post<{ Body?: LinkForm }>('/portal/links', async ({ body }, reply) => {
		const { reference } = await requestLink(body ?? {}, context);
		return reply.redirect(`/portal?link=${reference}#new-link`, 303);
	});
	server.post<ById>('/portal/profiles/:id', async ({ params, body }, reply) => {
		const profile = state.profiles.get(params.id);
		const change = profileChange.safeParse({ webhookUrl: body?.webhookUrl?.trim() || null });
		if (!profile) throw new Refusal(404, 'There is no such profile.');
		if (!change.success) throw new Refusal(400, 'The webhook URL must be a whole address.');
		state.profiles.set(params.id, changedProfile(params.id, profile, change.data));
		return reply.redirect(`/portal?saved=${encodeURIComponent(params.id)}#profiles`, 303);
	});
	server.post<{ Body?: { manner?: string | string[] } }>(
		'/portal/manners',
		async ({ body }, reply) => {
			const names = mannerNames.safeParse([body?.manner ?? []].flat());
			if (!names.success) throw new Refusal(400, 'There is no such manner.');
			state.manners = new Manners(names.data);
			return reply.redirect('/portal?manners=saved#manners', 303);
		},
	);
	server.post<ById>('/portal/webhooks/:id/resend', async ({ params }, reply) => {
		const webhook = state.webhooks.find(({ id }) => id === params.id);
		if (!webhook) throw new Refusal(404, 'There is no such webhook.');
		const webhookUrl = state.profiles.get(webhook.profile)?.webhookUrl;
		if (!webhookUrl) {
			throw new Refusal(409, `Nothing was sent: ${webhook.profile} has no webhook URL now.`);
		}
		await deliver(webhook, webhookUrl, context);
		return reply.redirect(`/portal#webhook-${webhook.id}`, 303);
	});
}
