import { Readable } from 'node:stream';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { fixture } from '../kit/data/fixtures';
import { JSON_TYPE } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, failureOf, jsonOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { DOCUMENT_MAY_BE_CHARGED, serviceThatAnswers } from './support/service';

const { run } = actionRunner(useSandbox());

const MB = 1024 * 1024;
const LINK = { operation: 'createHostedLink', mode: 1 };

/** A result that is this many bytes long, most of them in a field that isn't documented. */
function resultOf(bytes: number): Buffer {
	const start = JSON.stringify({ ...fixture('scan-accept'), transactionId: 'tx-1', more: '' });
	return Buffer.from(start.replace(/"}$/, `${'x'.repeat(bytes - start.length)}"}`));
}

const PACKED = {
	none: (content: Buffer) => content,
	gzip: gzipSync,
	deflate: deflateSync,
	br: brotliCompressSync,
};

describe.each(['none', 'gzip', 'deflate', 'br'] as const)('an answer, packed as %s', (packing) => {
	const answered = async (bytes: number, status: number, options: ActionOptions = {}) => {
		const headers = packing === 'none' ? {} : { 'Content-Encoding': packing };
		const content = PACKED[packing](resultOf(bytes));
		const { credential } = await serviceThatAnswers((response) =>
			response.writeHead(status, { ...JSON_TYPE, ...headers }).end(content),
		);
		return await run({ credential, ...options });
	};

	it('is a result up to 16 MB', async () => {
		const [item] = jsonOf(await answered(16 * MB, 200));

		expect(item).toMatchObject({ decision: 'accept', transactionId: 'tx-1' });
	});

	it('is not read beyond 16 MB, and its transaction is named', async () => {
		const { message, description } = failureOf(await answered(16 * MB + 1, 200));

		expect(message).toMatch(/^The service answered, but not with a readable scan result\. /);
		expect(message).toMatch(DOCUMENT_MAY_BE_CHARGED);
		expect(description).toBe(
			"Look transaction tx-1 up in the service's web portal. Problems in the answer: the body is larger than 16 MB.",
		);
	});

	it('costs nothing beyond 16 MB, either, if its status is a refusal', async () => {
		const { message } = failureOf(await answered(17 * MB, 422));

		expect(message).toMatch(/^The service answered with status 422\. Nothing was charged/);
	});
});

describe('an answer with so many values that reading them would block n8n', () => {
	const values = (bytes: number) => `,"list":[${'1,'.repeat(bytes / 2)}1]}`;
	const answered = async (body: object, bytes: number, options: ActionOptions = {}) => {
		const answer = JSON.stringify(body).replace(/}$/, values(bytes));
		const { credential } = await serviceThatAnswers((response) =>
			response.writeHead(200, JSON_TYPE).end(answer),
		);
		return await run({ credential, ...options });
	};
	const result = { ...fixture('scan-accept'), transactionId: 'tx-1' };

	it('is a result up to 1 MB', async () => {
		const [item] = jsonOf(await answered(result, MB - 20_000));

		expect(item).toMatchObject({ decision: 'accept', transactionId: 'tx-1' });
	});

	it.each([
		['scan result', result, {}, 'transaction tx-1'],
		['hosted link', { ...fixture('hosted-link'), reference: 'link-1' }, LINK, 'link link-1'],
	])(
		'may be charged beyond 1 MB, and says what to look up: a %s',
		async (name, body, parameters, subject) => {
			const { message, description } = failureOf(await answered(body, MB, { parameters }));

			expect(message).toMatch(`The service answered, but not with a readable ${name}. `);
			expect(message).toContain('may have been processed and charged');
			expect(description).toBe(
				`Look ${subject} up in the service's web portal. Problems in the answer: the body has too many values to be read.`,
			);
		},
	);

	it('says what to look up also if it is JSON in a text', async () => {
		const inner = JSON.stringify(result).replace(/}$/, values(MB));
		const { credential } = await serviceThatAnswers((response) =>
			response.writeHead(200, JSON_TYPE).end(JSON.stringify(inner)),
		);

		const { description } = failureOf(await run({ credential }));

		expect(description).toMatch("Look transaction tx-1 up in the service's web portal.");
	});
});

it('an answer that never ends is ended at 16 MB', async () => {
	const endless = await serviceThatAnswers((response) => {
		response.writeHead(200, JSON_TYPE);
		Readable.from(zeros()).pipe(response);
	});

	const { message, description } = failureOf(await run({ credential: endless.credential }));

	expect(message).toMatch(DOCUMENT_MAY_BE_CHARGED);
	expect(description).toContain('the body is larger than 16 MB');
	await endless.closed();
});

function* zeros(): Generator<Buffer> {
	for (;;) yield Buffer.alloc(MB);
}
