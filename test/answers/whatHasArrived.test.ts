import type { ServerResponse } from 'node:http';

import { fixture } from '../kit/data/fixtures';
import { JSON_TYPE, listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItems, failureOf, jsonOf } from '../kit/engine/action';
import type { NodeRun } from '../kit/engine';
import { serviceThatAnswers } from './support/service';

const { run } = actionRunner(useSandbox());

const SCAN = JSON.stringify(fixture('scan-accept', { transactionId: 'tx-1' }));
const LINK = '{"reference":"link-1","url":"https://hosted.example.com/h/link-1"}';

const SCAN_WITH_NAN = SCAN.replace('{', '{"more":NaN,');
const LINK_WITH_NAN = LINK.replace('{', '{"more":NaN,');

const SCANNED = { operation: 'scan', branchOnDecision: true, options: { timeout: 1 } };
const LINKED = { operation: 'createHostedLink', mode: 1, options: { timeout: 1 } };

const PHP = '<br />\n<b>Notice</b>: Undefined index in <b>scan.php</b> on line 7<br />\n';
const PROXY = '\n<!-- served by edge-3 -->';

type Answer = (response: ServerResponse, text: string) => void;

/** Answers of which all but the end arrives. */
const ENDS: Record<string, Answer> = {
	'no last chunk': (response, text) => {
		response.writeHead(200, JSON_TYPE).write(text, () => response.destroy());
	},
	'no last chunk, and all at once': (response, text) => {
		response.writeHead(200, JSON_TYPE).write(text);
		response.socket?.end();
	},
	'a Content-Length that is too long, and silence': (response, text) => {
		response.writeHead(200, { ...JSON_TYPE, 'Content-Length': text.length + 9 }).write(text);
	},
	'a Content-Length that is too long, and a close': (response, text) => {
		const headers = { ...JSON_TYPE, 'Content-Length': text.length + 9 };
		response.writeHead(200, headers).write(text, () => response.destroy());
	},
	'chunks, and silence': (response, text) => {
		response.writeHead(200, JSON_TYPE).write(text);
	},
};

const complete: Answer = (response, text) => void response.writeHead(200, JSON_TYPE).end(text);

const answered = async (text: string, parameters: object, answer: Answer = complete) => {
	const { credential } = await serviceThatAnswers((response) => answer(response, text));
	return await run({ credential, parameters: { ...parameters } });
};

const branches = ({ outputs }: NodeRun) => outputs.map((items) => items.map(({ json }) => json));
const hintsOf = ({ hints }: NodeRun) => hints.map(({ message }) => message);

describe.each(Object.entries(ENDS))('an answer that ends with %s', (_, answer) => {
	it('is a result at its decision if it is whole', async () => {
		const result = await answered(SCAN, SCANNED, answer);

		expect(branches(result)).toMatchObject([[], [{ transactionId: 'tx-1' }], []]);
		expect(branches(result)[1]?.[0]).not.toHaveProperty('unreadable');
	});

	it('is a link if it is whole', async () => {
		const result = await answered(LINK, LINKED, answer);

		expect(jsonOf(result)).toMatchObject([{ reference: 'link-1' }]);
	});

	it('is none without its last brace, and may have been charged', async () => {
		const { message, description } = failureOf(await answered(SCAN.slice(0, -1), SCANNED, answer));

		expect(message).toMatch(/may have been processed and charged/);
		expect(description).toMatch(/^Look transaction tx-1 up/);
	});
});

describe.each([
	['a line of PHP before it', `${PHP}${SCAN}`, `${PHP}${LINK}`],
	['a line of a proxy after it', `${SCAN}${PROXY}`, `${LINK}${PROXY}`],
	['both, and NaN', PHP + SCAN_WITH_NAN + PROXY, PHP + LINK_WITH_NAN + PROXY],
	['a list around it', `[${SCAN}]`, `[${LINK}]`],
])('an answer with %s', (_, scan, link) => {
	it.each(['simplified', 'decisionOnly', 'raw'])('is a result at Review, as %s', async (output) => {
		const result = await answered(scan, { ...SCANNED, output });

		const item = { transactionId: 'tx-1', unrecognizedDecision: true, unreadable: ['*'] };
		expect(branches(result)).toMatchObject([[item], [], []]);
		expect(hintsOf(result)).toContainEqual(expect.stringMatching(/^Some parts of an answer/));
	});

	it('is a link with a hint', async () => {
		const result = await answered(link, LINKED);

		expect(jsonOf(result)).toMatchObject([{ reference: 'link-1', unreadable: ['*'] }]);
		expect(hintsOf(result)).toContainEqual(expect.stringMatching(/^Some parts of an answer/));
	});
});

it('a line before an answer and the lack of its end lose nothing, either', async () => {
	const result = await answered(PHP + SCAN, SCANNED, ENDS['no last chunk']);

	expect(branches(result)).toMatchObject([[{ transactionId: 'tx-1' }], [], []]);
});

describe('with text around it, an object is no answer', () => {
	it.each<[string, object, object]>([
		['without a decision', SCANNED, { transactionId: 'tx-1', data: {} }],
		['without a transaction', SCANNED, { decision: 'accept' }],
		['with a decision that is null', SCANNED, { transactionId: 'tx-1', decision: null }],
		['without a url', LINKED, { reference: 'link-1' }],
		['without a reference', LINKED, { url: 'https://hosted.example.com/h/link-1' }],
	])('%s', async (_, parameters, body) => {
		const { message } = failureOf(await answered(PHP + JSON.stringify(body), parameters));

		expect(message).toMatch(/not with a readable .* may have been processed and charged/);
	});

	it('if it is half of one, or two', async () => {
		for (const text of [`${PHP}${SCAN.slice(0, -1)}`, SCAN + SCAN, `{main} ${SCAN}`]) {
			const { message } = failureOf(await answered(text, SCANNED));

			expect(message).toMatch(/not with a readable scan result\. .* processed and charged/);
		}
	});

	it('if its status is no success', async () => {
		const { message } = failureOf(
			await answered(PHP + SCAN, SCANNED, (response, text) => {
				response.writeHead(400, JSON_TYPE).end(text);
			}),
		);

		expect(message).toMatch(/^The service answered with status 400\b.*Nothing was charged/);
	});
});

it('a Retry pays for neither again', async () => {
	const { items } = documentItems(3);
	const answers: Answer[] = [
		(response) => ENDS['no last chunk']?.(response, SCAN),
		(response) => complete(response, PHP + SCAN),
		(response) => void response.writeHead(400).end(),
		(response) => complete(response, SCAN),
	];
	const { asked, credential } = await serviceThatAnswers((response) =>
		answers.shift()?.(response, ''),
	);
	const parameters = { ...SCANNED, options: { maxParallelRequests: 1 } };

	const failed = await run({ credential, items, parameters });
	const retried = await run({ credential, parameters, retryOf: failed });

	expect(failed.status).toBe('error');
	expect(asked()).toBe(4);
	expect(branches(retried).map(({ length }) => length)).toEqual([1, 2, 0]);
});

it.each([SCANNED, LINKED])('no answer is asked for in packed form: %j', async (parameters) => {
	const asked: unknown[] = [];
	const { url } = await listenToEnd((request, response) => {
		asked.push(request.headers['accept-encoding']);
		complete(response, parameters === SCANNED ? SCAN : LINK);
	});

	await run({ credential: { baseUrl: url }, parameters });

	expect(asked).toEqual(['identity']);
});
