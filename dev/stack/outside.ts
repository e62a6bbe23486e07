import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import type { FastifyReply } from 'fastify';
import { simpleParser } from 'mailparser';
import type { ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

import { renderPage } from '../sandbox/views';
import type { CredentialValues } from './api';

const HOST = '127.0.0.1';

/** Stands in for a mail server, for Slack's incoming webhooks, and for a CRM: nothing goes out. */
export interface Outside {
	/** Of Slack and the CRM, and of a page that shows what was sent; without a trailing slash. */
	url: string;
	/** Its own addresses, keyed by the examples'. */
	addresses: Record<string, string>;
	/** Used by n8n to e-mail it. */
	credential: CredentialValues;
	/** What was sent to the mail server, oldest first. */
	mails: ParsedMail[];
	/** The addresses that the mail server refuses. */
	refused: Set<string>;
	/** What was sent to Slack and the CRM, oldest first, by method and path. */
	posts: { request: string; body: unknown; at: Date }[];
	/** What a request gets in place of the usual answer, by method and path. */
	answers: Map<string, { status: number; body: object }>;
	close(): Promise<void>;
}

export async function startOutside(port: number): Promise<Outside> {
	const mails: Outside['mails'] = [];
	const refused: Outside['refused'] = new Set();
	const posts: Outside['posts'] = [];
	const answers: Outside['answers'] = new Map();
	const answer = (reply: FastifyReply, request: string, usual: object) => {
		const { status, body } = answers.get(request) ?? { status: 200, body: usual };
		return reply.code(status).send(body);
	};
	const server = fastify({ forceCloseConnections: true });
	server.get('/', async (_, reply) => {
		const page = renderPage('outside', { mails, posts, url: server.listeningOrigin });
		return reply.type('text/html; charset=utf-8').send(page);
	});
	server.get<{ Querystring: { id: string } }>(
		'/crm/api/applicants',
		async ({ url, query: { id } }, reply) =>
			answer(reply, `GET ${url}`, { id, email: `${id}@example.com` }),
	);
	server.all('/*', async ({ method, url, body }, reply) => {
		const request = `${method} ${url}`;
		posts.push({ request, body, at: new Date() });
		return answer(reply, request, { received: true });
	});
	const url = await server.listen({ port, host: HOST });
	const mailServer = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onRcptTo({ address }, _session, done) {
			done(refused.has(address) ? new Error('Mailbox unavailable') : null);
		},
		onData(stream, _session, done) {
			simpleParser(stream).then((mail) => {
				mails.push(mail);
				done();
			}, done);
		},
	});
	// A sender that goes away in the middle of a mail must not end everything.
	mailServer.on('error', () => undefined);
	const listening = mailServer.listen(0, HOST);
	await once(listening, 'listening');
	const { port: mailPort } = listening.address() as AddressInfo;
	const data = { host: HOST, port: mailPort, secure: false, disableStartTls: true };
	const credential = { name: 'SMTP account', type: 'smtp', data };
	const close = async () => {
		await new Promise<void>((resolve) => mailServer.close(resolve));
		await server.close();
	};
	const addresses = {
		'https://crm.example.com': `${url}/crm`,
		'https://hooks.slack.com': `${url}/slack`,
	};
	return { url, addresses, credential, mails, refused, posts, answers, close };
}
