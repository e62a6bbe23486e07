import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';

import { fixture } from '../kit/data/fixtures';
import { JSON_TYPE } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, failureOf, jsonOf } from '../kit/engine/action';
import { DOCUMENT_MAY_BE_CHARGED, serviceThatAnswers } from './support/service';

const { run } = actionRunner(useSandbox());

const MB = 1024 * 1024;

/** A result that is this many bytes long, most of them in a field that isn't documented. */
function resultOf(bytes: number): Buffer {
	const start = JSON.stringify({ ...fixture('scan-accept'), transactionId: 'tx-1', more: '' });
	return Buffer.from(start.replace(/"}$/, `${'x'.repeat(bytes - start.length)}"}`));
}

describe.each([false, true])('an answer, packed: %s', (isPacked) => {
	const answered = async (bytes: number, status: number) => {
		const headers = isPacked ? { 'Content-Encoding': 'gzip' } : {};
		const content = isPacked ? gzipSync(resultOf(bytes)) : resultOf(bytes);
		const { credential } = await serviceThatAnswers((response) =>
			response.writeHead(status, { ...JSON_TYPE, ...headers }).end(content),
		);
		return await run({ credential });
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

it('an answer of 16 MB full of values is a result', async () => {
	const body = { ...fixture('scan-accept'), transactionId: 'tx-1' };
	const list = `,"list":[${'1,'.repeat(7.9 * MB)}1]}`;
	const { credential } = await serviceThatAnswers((response) =>
		response.writeHead(200, JSON_TYPE).end(JSON.stringify(body).replace(/}$/, list)),
	);

	const [item] = jsonOf(await run({ credential }));

	expect(item).toMatchObject({ decision: 'accept', transactionId: 'tx-1' });
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
