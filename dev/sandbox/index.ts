import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { FastifyInstance } from 'fastify';

import type { Context } from './context';
import { control } from './control';
import { files } from './files';
import { hostedPage } from './hostedPage';
import { portal } from './portal';
import { answerError, answerNotFound } from './refusal';
import { service } from './service';
import { SandboxState } from './state';

export const DEFAULT_API_KEY = 'sandbox-key';

export interface SandboxOptions {
	/** Port of the service; 0 takes any free one. */
	port: number;
	/** Port of the regional host; 0 takes any free one. */
	filesPort: number;
	host?: string;
	apiKey?: string;
	/**
	 * The webhook secret of n8n's credential, for the portal to show; the sandbox itself doesn't use
	 * it.
	 */
	webhookSecret?: string;
}

/** The local service, while it is running. */
export interface Sandbox {
	/** Base URL of the service, without a trailing slash. */
	readonly url: string;
	/** URL of the regional host, without a trailing slash. */
	readonly filesUrl: string;
	readonly apiKey: string;
	/** Names of the profiles that exist. */
	readonly profiles: string[];
	/** Stops the servers and ends all their connections, also unanswered ones. */
	close(): Promise<void>;
}

/**
 * Starts a local service that speaks the interface in docs/interface.md. Keeps everything in
 * memory. Rejects with the error of the operating system, such as EADDRINUSE, if a port can't be
 * taken.
 */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
	const { port, filesPort, host = '127.0.0.1', apiKey = DEFAULT_API_KEY, webhookSecret } = options;
	const closing = new AbortController();
	const state = new SandboxState();
	const addresses = { url: '', filesUrl: '' };
	const context: Context = { state, apiKey, webhookSecret, closing: closing.signal, ...addresses };
	const servers = [newServer(), newServer()] as const;
	const close = async () => {
		closing.abort();
		state.clock.stop();
		await Promise.all(servers.map(async (server) => await server.close()));
	};
	try {
		const [serviceServer, filesServer] = servers;
		for (const part of [service, control, hostedPage, portal]) {
			await serviceServer.register(part, context);
		}
		await filesServer.register(files, context);
		context.url = await listen(serviceServer, port, host);
		context.filesUrl = await listen(filesServer, filesPort, host);
	} catch (error) {
		await close();
		throw error;
	}
	const { url, filesUrl } = context;
	return { url, filesUrl, apiKey, profiles: [...state.profiles.keys()], close };
}

function newServer(): FastifyInstance {
	const server = fastify({ forceCloseConnections: true });
	server.setErrorHandler(answerError);
	server.setNotFoundHandler(answerNotFound);
	return server;
}

async function listen(server: FastifyInstance, port: number, host: string): Promise<string> {
	await server.listen({ port, host });
	const { port: taken } = server.server.address() as AddressInfo;
	return `http://${host}:${taken}`;
}
