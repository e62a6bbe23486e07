import type { FastifyReply } from 'fastify';

import type { Context } from './context';
import { MODES } from './interface';
import { MANNER_LIST } from './manners';
import type { LinkForm } from './portalLink';
import type { Profile } from './profiles';
import { SCENARIOS } from './scenarios';
import type { LinkRecord } from './state';
import { renderPage } from './views';

const MAX_SHOWN_CHARACTERS = 600;

const HELPERS = { labels: labels(), modes: modes(), settings, beginning };

interface Shown {
	/** The link that was just created. */
	link?: LinkRecord;
	/** The profile whose webhook URL was just saved. */
	saved?: string;
	areMannersSaved?: boolean;
	/** What the form for a link is filled with. */
	form?: LinkForm;
	/** Why the last button did nothing. */
	problem?: string;
}

/** Answers with the portal as it is now. */
export function sendPortalPage(reply: FastifyReply, context: Context, shown: Shown): FastifyReply {
	const { credits, quota } = context.state;
	const on: readonly string[] = context.state.manners.names;
	const manners = MANNER_LIST.map((manner) => ({ ...manner, isOn: on.includes(manner.name) }));
	const profiles = [...context.state.profiles.values()];
	const webhooks = [...context.state.webhooks].reverse();
	const credential = credentialOf(context);
	const { form = {} } = shown;
	const values = { credits, quota, profiles, webhooks, manners, credential, ...shown, form };
	const page = renderPage('portal', { ...HELPERS, ...values });
	return reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-store').send(page);
}

/** The values of n8n's credential by the labels of its fields. */
function credentialOf({ apiKey, url, filesUrl, webhookSecret }: Context): Record<string, string> {
	return {
		'API Key': apiKey,
		'Base URL': url,
		'File Hosts': new URL(filesUrl).host,
		...(webhookSecret === undefined ? {} : { 'Webhook Secret': webhookSecret }),
	};
}

function labels(): Record<string, string> {
	return Object.fromEntries(SCENARIOS.map(({ scenario, label }) => [scenario, label]));
}

/** As n8n's node offers them. */
function modes(): { mode: number; label: string }[] {
	return MODES.map(({ name, credits }, mode) => {
		return { mode, label: `${name} (${credits} ${credits === 1 ? 'Credit' : 'Credits'})` };
	});
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

function beginning(text: string): string {
	return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text;
}
