import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply } from 'fastify';

import type { Context } from './context';
import { answerStrike, sendAnswer } from './faultAnswers';
import { MODES } from './interface';
import type { Checks } from './interface';
import type { Profile } from './profiles';
import { verify } from './results/result';
import { SCENARIOS } from './scenarios';
import type { Scenario } from './scenarios';
import type { LinkRecord } from './state';
import { renderPage } from './views';
import { sendWebhook } from './webhooks';

const MESSAGES = {
	finished: {
		status: 200,
		title: 'Verification finished',
		text: 'Thank you. You can close this page.',
	},
	alreadyFinished: {
		status: 409,
		title: 'Already finished',
		text: 'This verification is already finished. Ask for a new link if you need another one.',
	},
	alreadyOpened: {
		status: 410,
		title: 'Already opened',
		text: 'This link can be opened only once. Ask for a new link if you need another one.',
	},
	unknownScenario: {
		status: 400,
		title: 'Unknown scenario',
		text: 'Go back and choose one of the buttons.',
	},
	unknownLink: {
		status: 404,
		title: 'Unknown link',
		text: 'The sandbox has no such link. It forgets all links when it restarts.',
	},
};

interface Route {
	Params: { reference: string };
	Body?: { scenario?: string };
}

/**
 * The page that an end user opens with a hosted link (interface.md#hosted-link), and what its
 * buttons do.
 */
export async function hostedPage(server: FastifyInstance, context: Context): Promise<void> {
	await server.register(formbody);
	server.get<Route>('/h/:reference', async ({ params }, reply) => {
		return await openLink(params.reference, reply, context, (link, profile) => {
			link.opened += 1;
			const canBeOpened = link.opened <= context.state.manners.at('page', Infinity);
			if (!canBeOpened) return message('alreadyOpened', profile);
			return link.finishedAt ? message('finished', profile) : firstPage(link, profile);
		});
	});
	server.post<Route>('/h/:reference', async ({ params, body }, reply) => {
		const chosen = SCENARIOS.find(({ scenario }) => scenario === body?.scenario);
		return await openLink(params.reference, reply, context, (link, profile) => {
			if (link.finishedAt) return message('alreadyFinished', profile);
			if (!chosen) return message('unknownScenario', profile);
			finish(link, profile, chosen.scenario, context);
			return { ...message('finished', profile), redirect: redirectAddress(profile, link) };
		});
	});
}

interface PageAnswer {
	status: number;
	page: string;
	values: object;
	/** Where the browser goes instead of seeing the page. */
	redirect?: string;
}

async function openLink(
	reference: string,
	reply: FastifyReply,
	{ state }: Context,
	answer: (link: LinkRecord, profile: Profile) => PageAnswer,
): Promise<FastifyReply> {
	const strike = state.faults.take('page');
	if (await answerStrike(strike, reply)) return reply;
	const link = state.links.get(reference);
	const profile = link && state.profiles.get(link.profile);
	const { status, page, values, redirect } = profile
		? answer(link, profile)
		: message('unknownLink');
	if (redirect && !strike.fault) return reply.redirect(redirect, 303);
	void reply.code(status).type('text/html; charset=utf-8').header('Cache-Control', 'no-store');
	return sendAnswer(strike.fault, reply, renderPage(page, values));
}

function message(name: keyof typeof MESSAGES, profile?: Profile): PageAnswer {
	const { status, ...values } = MESSAGES[name];
	const tone = status === 200 ? 'accept' : 'review';
	const companyName = profile?.companyName ?? '';
	return { status, page: 'message', values: { ...values, tone, companyName } };
}

function firstPage(link: LinkRecord, profile: Profile): PageAnswer {
	const mode = MODES[link.mode];
	const upload = mode.document && profile.allowFileUpload;
	const values = { link, profile, title: mode.name, steps: stepsOf(mode), upload };
	return { status: 200, page: 'hosted', values: { ...values, scenarios: SCENARIOS } };
}

function stepsOf(checks: Checks): string[] {
	const document = ['Have your ID ready.', 'Photograph the front and the back of it.'];
	return [
		...(checks.document ? document : []),
		...(checks.face ? ['Take a photo of your face.'] : []),
		...(checks.signature ? ['Read the contract.', 'Sign it with your finger or mouse.'] : []),
	];
}

function finish(link: LinkRecord, profile: Profile, scenario: Scenario, context: Context): void {
	const checks = MODES[link.mode];
	const result = verify({ profile, scenario, checks, pictures: 'opaque' }, context);
	const { decision, transactionId } = result;
	const finishedAt = new Date().toISOString();
	Object.assign(link, { finishedAt, scenario, decision, transactionId });
	void sendWebhook(link, profile, result, context);
}

/**
 * The redirect URL with the reference (interface.md#profile); the parameter's name isn't
 * documented.
 */
function redirectAddress({ redirectUrl }: Profile, { reference }: LinkRecord): string | undefined {
	if (!redirectUrl) return undefined;
	const url = new URL(redirectUrl);
	url.searchParams.set('reference', reference);
	return url.href;
}
