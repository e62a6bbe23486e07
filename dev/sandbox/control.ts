import type { FastifyInstance } from 'fastify';
import { z } from 'zod/v4';

import type { Context } from './context';
import { faultSchema } from './faults';
import { Manners, mannerNames } from './manners';
import { Traffic, modelSchema } from './model';
import { changedProfile, profileChange } from './profiles';
import { Refusal, readBody } from './refusal';

const INVALID = "The sandbox can't take this";

const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

const released = z.object({ documentSha256: z.string().optional() }).strict();
const mannersChange = z.object({ manners: mannerNames }).strict();
const clockChange = z.object({ speed: z.number().positive() }).strict();
const creditsChange = z.object({ credits: z.number().int().nonnegative() }).strict();

/**
 * JSON calls under /_sandbox that steer the sandbox and show what it saw. Loopback only, no key.
 */
export async function control(server: FastifyInstance, { state }: Context): Promise<void> {
	server.addHook('onRequest', async ({ ip }) => {
		if (!LOOPBACK.test(ip)) throw new Refusal(403, 'Only this machine may steer the sandbox.');
	});
	server.get('/_sandbox/state', async () => {
		const { credits, billed, requests, fileRequests } = state;
		const manners = state.manners.names;
		const links = [...state.links.values()];
		// Undefined values don't reach the JSON: the personal data of a result stays out of the log.
		const webhooks = state.webhooks.map((webhook) => ({ ...webhook, payload: undefined }));
		return { credits, billed, requests, webhooks, links, fileRequests, manners };
	});
	server.put<{ Params: { id: string } }>('/_sandbox/profiles/:id', async ({ params, body }) => {
		const change = readBody(profileChange, body, INVALID);
		const profile = changedProfile(params.id, state.profiles.get(params.id), change);
		state.profiles.set(params.id, profile);
		return profile;
	});
	server.put('/_sandbox/credits', async ({ body }) => {
		state.credits = readBody(creditsChange, body, INVALID).credits;
		return { credits: state.credits };
	});
	server.put('/_sandbox/model', async ({ body }) => {
		const model = readBody(modelSchema, body, INVALID);
		state.traffic = new Traffic(model);
		return model;
	});
	server.put('/_sandbox/manners', async ({ body }) => {
		const { manners } = readBody(mannersChange, body, INVALID);
		state.manners = new Manners(manners);
		return { manners };
	});
	server.put('/_sandbox/clock', async ({ body }) => {
		const { speed } = readBody(clockChange, body, INVALID);
		state.clock.speed = speed;
		return { speed };
	});
	server.post('/_sandbox/faults', async ({ body }) => {
		const fault = readBody(faultSchema, body, INVALID);
		state.faults.add(fault);
		return fault;
	});
	server.post('/_sandbox/release', async ({ body }) => {
		const { documentSha256 } = readBody(released, body, INVALID);
		state.faults.release(documentSha256);
		return { released: true };
	});
	server.post('/_sandbox/reset', async () => {
		state.reset();
		return { reset: true };
	});
}
