import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

import type { Context } from './context';
import { answerStrike, sendAnswer } from './faultAnswers';
import { createLink, requireModeFields } from './hostedLinks';
import { readImageBody } from './imageBody';
import type { ImageBody, ReceivedImages } from './imageBody';
import { MODES, linkBody, scanBody } from './interface';
import type { Traffic } from './model';
import type { Profile } from './profiles';
import { Refusal, readBody } from './refusal';
import { carriesKey, logRequests, recordBody, recordOf } from './requestLog';
import { verify } from './results/result';
import type { SandboxState } from './state';

/** What a scan costs isn't documented (interface.md#credits-and-limits): here it is one credit. */
const SCAN_CREDITS = 1;

/** The two calls of the service (interface.md#scan and interface.md#hosted-link). */
export async function service(server: FastifyInstance, context: Context): Promise<void> {
	logRequests(server, context.state);
	// Not before the body is read: a refusal that closes the connection in the middle can get lost.
	server.addHook('preValidation', async (request, reply) => {
		if (!carriesKey(request, context.apiKey)) return answerWrongKey(reply, context);
	});
	server.removeAllContentTypeParsers();
	server.addContentTypeParser(
		'application/json',
		async (_request: FastifyRequest, payload: IncomingMessage) => await readImageBody(payload),
	);
	server.post<{ Body?: ImageBody }>('/scan', async (request, reply) => {
		return await answerCall(request, reply, context, 'scan', (body) => scan(body, context));
	});
	server.post<{ Body?: ImageBody }>('/hosted', async (request, reply) => {
		return await answerCall(request, reply, context, 'hosted', (body) => hosted(body, context));
	});
	for (const url of ['/scan', '/hosted']) {
		server.route({ method: ['GET', 'PUT', 'PATCH', 'DELETE'], url, handler: refuseMethod });
	}
}

/** A call: its price, and what answers it once it is paid. */
interface Call {
	credits: number;
	isRefused?: true;
	answer(): object | Promise<object>;
}

async function answerCall(
	request: FastifyRequest<{ Body?: ImageBody }>,
	reply: FastifyReply,
	{ state }: Context,
	endpoint: 'scan' | 'hosted',
	prepare: (body: ImageBody) => Call,
): Promise<FastifyReply> {
	const record = recordOf(request);
	const body = request.body ?? { body: undefined, images: {}, bytes: 0 };
	recordBody(record, body);
	return await inTraffic(state.traffic, reply, async () => {
		const strike = state.faults.take(endpoint, body.images.document?.sha256);
		if (await answerStrike(strike, reply)) return reply;
		const { answer, ...charge } = prepareOrRefuse(() => prepare(body), body.images, state);
		const { credits } = state.manners.at('charge', charge);
		if (credits > state.credits) {
			throw new Refusal(
				402,
				`Not enough credits: this costs ${credits}, ${state.credits} are left.`,
			);
		}
		if (credits > 0) state.charge(record, credits);
		return sendAnswer(strike.fault, reply, await answer());
	});
}

/**
 * Prepares a call. One that is refused is also a call: it may cost something, and is answered with
 * the refusal.
 */
function prepareOrRefuse(prepare: () => Call, images: ReceivedImages, state: SandboxState): Call {
	try {
		const call = prepare();
		requireFormats(images, state);
		return call;
	} catch (error) {
		if (!(error instanceof Refusal)) throw error;
		const { credits } = error;
		return { credits, isRefused: true, answer: async () => await Promise.reject(error) };
	}
}

/** Which formats are read isn't documented (interface.md#what-is-unknown): here all images are. */
function requireFormats(images: ReceivedImages, { manners }: SandboxState): void {
	const { refused, credits } = manners.at('formatCheck', { refused: [], credits: 0 });
	for (const { format } of Object.values(images)) {
		if (!refused.includes(format)) continue;
		throw new Refusal(400, `Images of the format ${format} are not supported.`, credits);
	}
}

/** Answers a request after the time that it takes, or refuses it for now. */
async function inTraffic(
	traffic: Traffic,
	reply: FastifyReply,
	answer: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
	const admission = traffic.enter(performance.now());
	if (!('latencyMs' in admission)) {
		const { retryAfterS } = admission;
		if (retryAfterS !== undefined) void reply.header('Retry-After', retryAfterS);
		throw new Refusal(429, 'Too many requests. Try again later.');
	}
	try {
		const { latencyMs } = admission;
		if (latencyMs > 0) await sleep(latencyMs, undefined, { ref: false });
		return await answer();
	} finally {
		traffic.leave();
	}
}

function scan({ body, images }: ImageBody, context: Context): Call {
	const request = readBody(scanBody, body);
	const profile = requireProfile(request.profile, context);
	const { scenario } = profile;
	const checks = { document: true, face: images.face !== undefined, signature: false };
	const document = images.document?.content;
	const verification = { profile, scenario, checks, pictures: 'url' as const, document };
	return { credits: SCAN_CREDITS, answer: () => verify(verification, context) };
}

function hosted({ body }: ImageBody, context: Context): Call {
	const request = readBody(linkBody, body);
	requireProfile(request.profile, context);
	requireModeFields(request);
	return { credits: MODES[request.mode].credits, answer: () => createLink(request, context) };
}

function requireProfile(id: string, { state }: Context): Profile {
	const profile = state.profiles.get(id);
	if (!profile) throw new Refusal(404, `There is no profile "${id}" in the portal.`);
	return profile;
}

/** How a wrong key is answered isn't documented (interface.md#what-is-unknown): here with 401. */
function answerWrongKey(reply: FastifyReply, { state }: Context): FastifyReply {
	const body = { message: 'The API key is missing or not valid. Send it as X-API-KEY.' };
	const answer = state.manners.at('keyCheck', { status: 401, body });
	return reply
		.code(answer.status)
		.headers(answer.headers ?? {})
		.send(answer.body);
}

async function refuseMethod(_request: FastifyRequest, reply: FastifyReply): Promise<never> {
	void reply.header('Allow', 'POST');
	throw new Refusal(405, 'Only POST is possible here.');
}
