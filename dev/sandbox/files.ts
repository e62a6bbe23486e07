import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';

import { auditReport } from './auditReport';
import type { Context } from './context';
import { answerStrike, sendAnswer } from './faultAnswers';
import { Refusal, pathOf } from './refusal';
import { hasApiKey } from './requestLog';
import { auditReportName } from './results/result';
import { IMAGE_SIDES, pictureType } from './results/specimens';

/** A file to serve. */
interface ServedFile {
	name: string;
	type: string;
	bytes: number;
	content: Readable;
}

/**
 * The regional host (interface.md#the-service): pictures and audit reports of results, and large
 * files for tests.
 */
export async function files(server: FastifyInstance, context: Context): Promise<void> {
	const { state } = context;
	server.addHook('onRequest', async (request) => {
		state.fileRequests.push({ path: pathOf(request), hasApiKey: hasApiKey(request) });
	});
	server.get<{ Params: { id: string; side: string } }>(
		'/images/:id/:side',
		async ({ params }, reply) => serve(reply, context, () => picture(params, context)),
	);
	server.get<{ Params: { id: string } }>('/reports/:id.pdf', async ({ params }, reply) =>
		serve(reply, context, () => report(params.id, context)),
	);
	server.get<{ Querystring: { bytes?: string } }>('/files/large', async ({ query }, reply) =>
		serve(reply, context, () => largeFile(Number(query.bytes))),
	);
}

async function serve(
	reply: FastifyReply,
	{ state }: Context,
	open: () => ServedFile | Promise<ServedFile>,
): Promise<FastifyReply> {
	const strike = state.faults.take('files');
	if (await answerStrike(strike, reply)) return reply;
	const file = await open();
	void reply.headers({
		'Content-Type': file.type,
		'Content-Length': file.bytes,
		'Content-Disposition': `attachment; filename="${file.name}"`,
	});
	switch (strike.fault?.kind) {
		case undefined:
			return reply.send(file.content);
		case 'truncated':
			return await sendHalf(reply, file);
		default:
			void reply.removeHeader('Content-Length').removeHeader('Content-Disposition');
			return sendAnswer(strike.fault, reply, '');
	}
}

function picture({ id, side }: { id: string; side: string }, { state }: Context): ServedFile {
	const known = IMAGE_SIDES.find((name) => name === side);
	const content = known && state.results.get(id)?.pictures[known];
	if (!content) throw new Refusal(404, 'There is no such picture.');
	const type = pictureType(content) ?? 'jpeg';
	return fileOf(`${side}.${type === 'jpeg' ? 'jpg' : type}`, `image/${type}`, content);
}

async function report(id: string, { state }: Context): Promise<ServedFile> {
	const stored = state.results.get(id);
	if (!stored?.result.outputFile.length) throw new Refusal(404, 'There is no such audit report.');
	return fileOf(auditReportName(id), 'application/pdf', await auditReport(stored));
}

function fileOf(name: string, type: string, content: Buffer): ServedFile {
	return { name, type, bytes: content.length, content: Readable.from([content]) };
}

function largeFile(bytes: number): ServedFile {
	if (!Number.isSafeInteger(bytes) || bytes < 0) {
		throw new Refusal(400, 'bytes must be a whole number, such as ?bytes=1000000.');
	}
	const type = 'application/octet-stream';
	return { name: 'large.bin', type, bytes, content: Readable.from(zeros(bytes)) };
}

function* zeros(bytes: number): Generator<Buffer> {
	const block = Buffer.alloc(64 * 1024);
	for (let left = bytes; left > 0; left -= block.length) yield block.subarray(0, left);
}

/** Announces the whole file, sends half of it and breaks the connection. */
async function sendHalf(reply: FastifyReply, file: ServedFile): Promise<FastifyReply> {
	reply.hijack();
	reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
	await pipeline(file.content, firstHalf(file.bytes), reply.raw, { end: false });
	reply.raw.destroy();
	return reply;
}

function firstHalf(bytes: number) {
	return async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
		let left = Math.floor(bytes / 2);
		for await (const chunk of chunks) {
			yield chunk.subarray(0, left);
			left -= chunk.length;
			if (left <= 0) return;
		}
	};
}
