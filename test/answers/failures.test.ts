import { once } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

import type { NodeApiError } from 'n8n-workflow';

import { connectionFailure } from '../../nodes/IdentityVerification/transport/connectionFailure';
import { causeOfUnsent, reasonOf } from '../../nodes/IdentityVerification/transport/requestFailure';
import type { UnsentCause } from '../../nodes/IdentityVerification/transport/requestFailure';
import { JSON_TYPE, listen, serviceWithStatuses, unusedUrl } from '../kit/service/httpServer';
import { proxyEveryHost } from '../kit/service/httpsHosts';
import { useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import {
	actionRunner,
	documentItem,
	documentItems,
	downloadOf,
	failureOf,
	jsonOf,
} from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { useLogs } from '../kit/engine/logs';
import { MAY_BE_CHARGED } from '../kit/engine/messages';
import { CONTINUE, retryOnFail } from '../kit/settings';
import { serviceThatAnswers } from './support/service';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);
const logs = useLogs();

const servers = new Set<Server>();
afterEach(() => {
	servers.forEach((server) => server.close());
	servers.clear();
});

const NOT_SENT = /Nothing was charged/;

const textFile = (fileName: string) => ({ content: Buffer.from('A text'), fileName });

const shortTimeout = { options: { timeout: 1 } };

/** Not so short for an answer that comes: it could be late on a busy machine. */
const timeoutFor = (kind: string) => (kind === 'noAnswer' ? shortTimeout : {});

async function expectOneRequest(status: number | null, billed: number): Promise<void> {
	const requests = await sandbox.requests();
	expect(requests.map((request) => request.status)).toEqual([status]);
	expect(await sandbox.billed()).toBe(billed);
}

describe('an answer with an error status', () => {
	const fail = async (options: ActionOptions = {}) => failureOf(await run(options));

	it('401 blames the API key, and is asked for once', async () => {
		const { message, description } = await fail({ credential: { apiKey: 'wrong-key' } });

		expect(message).toMatch(/status 401: The API key is missing or not valid.*\[item 0\]/);
		expect(description).toMatch(/refused the API key, or a firewall in front of it refused n8n/);
		await expectOneRequest(401, 0);
	});

	it('400 tells to check the item, and is no fault of the node to be logged', async () => {
		await sandbox.fault({ on: 'scan', kind: 'status', status: 400 });

		const { description } = await fail();

		expect(description).toMatch(/^Check the profile and the other parameters of this item\.$/);
		expect(logs.text()).not.toMatch(/unexpected/);
		await expectOneRequest(400, 0);
	});

	it('402 tells to top the account up', async () => {
		await sandbox.setCredits(0);

		const { message, description } = await fail();

		expect(message).toMatch(/status 402: Not enough credits/);
		expect(description).toMatch(/credits/);
		await expectOneRequest(402, 0);
	});

	it('404 passes on the text of the service', async () => {
		const { message } = await fail({ parameters: { profile: 'unknown-profile' } });

		expect(message).toMatch(/status 404: There is no profile "unknown-profile"/);
		await expectOneRequest(404, 0);
	});

	it('500 is reported with the status and text of the service, and is sent once', async () => {
		await sandbox.fault({ on: 'scan', kind: 'serverError' });

		const { message, description } = await fail();

		expect(message).toMatch(/status 500: Internal error of the service\. The request/);
		expect(description).toMatch(
			/^The service failed\. Look the request up in the service's web portal/,
		);
		expect(message).toMatch(MAY_BE_CHARGED);
		await expectOneRequest(500, 0);
	});

	it('an HTML page is reported by its status, not as HTML', async () => {
		await sandbox.fault({ on: 'scan', kind: 'html' });

		const { message } = await fail();

		expect(message).toMatch(/status 502\. The request may have been/);
		expect(message).not.toMatch(/[<>]/);
		await expectOneRequest(502, 0);
	});

	it('a redirect is refused, the key stays here', async () => {
		const followed: unknown[] = [];
		const elsewhere = await listen((request, response) => {
			followed.push(request.headers);
			response.end('{}');
		});
		const status = 307;
		await sandbox.fault({ on: 'scan', kind: 'redirect', status, location: `${elsewhere.url}/x` });

		const { message, description } = await fail();

		expect(message).toContain('status 307');
		expect(description).toMatch(/Redirects are not followed/);
		expect(followed).toEqual([]);
		await expectOneRequest(status, 0);
	});
});

describe('an answer that is lost', () => {
	// Before there is an answer, an image from n8n's storage could be what failed.
	it.each([
		['truncated', 'default', 200],
		['wrongShape', 'default', 200],
		['broken', 'default', null],
		['broken', 'filesystem', null],
		['noAnswer', 'default', null],
		['noAnswer', 'filesystem', null],
	] as const)(
		'%s is reported as possibly charged, and not sent again by Retry On Fail, in binary mode %s',
		async (kind, binaryMode, status) => {
			await sandbox.fault({ on: 'scan', kind });

			const { message, description } = failureOf(
				await run({
					binaryMode,
					parameters: timeoutFor(kind),
					settings: retryOnFail(3),
				}),
			);

			expect(message).toMatch(MAY_BE_CHARGED);
			expect(message).toContain('[item 0]');
			expect(description).toMatch(/web portal/);
			await expectOneRequest(status, 1);
		},
	);
});

describe('the cause that an error declares to n8n', () => {
	const causeOf = async (options: ActionOptions) =>
		((await run(options)).error as NodeApiError | undefined)?.failure;
	const answering = async (status: number, headers: OutgoingHttpHeaders = {}) =>
		(await serviceThatAnswers((response) => response.writeHead(status, headers).end())).credential;

	it.each<[number, OutgoingHttpHeaders, object]>([
		[401, {}, { cause: 'credential-invalid' }],
		[404, {}, { cause: 'configuration-invalid' }],
		[405, {}, { cause: 'configuration-invalid' }],
		[503, { 'Retry-After': '30' }, { cause: 'temporarily-unavailable', retryAfterMs: 30_000 }],
	])('at status %d %j is %j', async (status, headers, cause) => {
		expect(await causeOf({ credential: await answering(status, headers) })).toEqual(cause);
	});

	it('at a lasting 429 is how long the service asks to wait', async () => {
		const credential = await answering(429, { 'Retry-After': '3600' });

		expect(await causeOf({ credential })).toEqual({
			cause: 'rate-limited',
			retryAfterMs: 3_600_000,
		});
	});

	it('is missing where the request may have been charged', async () => {
		for (const status of [302, 500, 502, 503]) {
			expect(await causeOf({ credential: await answering(status) })).toBeUndefined();
		}
	});

	it('is missing where another item is paid: the node should not run again unasked', async () => {
		await sandbox.fault({ on: 'scan', kind: 'status', status: 401, skip: 1 });
		const { items } = documentItems(2);

		const cause = await causeOf({ items, parameters: { options: { maxParallelRequests: 1 } } });

		expect(cause).toBeUndefined();
		expect(await sandbox.billed()).toBe(1);
	});

	it('is missing where the item may be what is wrong', async () => {
		for (const status of [400, 402, 413, 422]) {
			expect(await causeOf({ credential: await answering(status) })).toBeUndefined();
		}
		expect(await causeOf({ items: [documentItem(textFile('notes.txt').content)] })).toBeUndefined();
	});

	it('tells a service that is down from a setting that is wrong', async () => {
		const down = { cause: 'temporarily-unavailable' };
		const wrong = { cause: 'configuration-invalid' };

		expect(await causeOf({ credential: { baseUrl: await unusedUrl() } })).toEqual(down);
		const { url } = await listen((_, response) => response.end());
		const withoutTls = { baseUrl: url.replace('http:', 'https:') };
		expect(await causeOf({ credential: withoutTls })).toEqual(wrong);
		expect(await causeOf({ credential: { baseUrl: 'http://service.test' } })).toEqual(wrong);
		expect(await causeOf({ parameters: { operation: 'none' } })).toEqual(wrong);
	});

	it.each<[string, UnsentCause[]]>([
		[
			'configuration-invalid',
			['blocked', 'certificate', 'invalidAddress', 'noTls', 'unknownAuthority'],
		],
		['temporarily-unavailable', ['failed', 'handshake', 'lookup', 'refused', 'unknownHost']],
	])('is %s where nothing was sent because of: %j', (cause, reasons) => {
		expect(reasons.map((reason) => causeOfUnsent({ cause: reason }))).toEqual(
			reasons.map(() => ({ cause })),
		);
	});

	it('stays with the item of a node that continues', async () => {
		const credential = await answering(401);
		const items = [documentItem()];
		const onError = 'continueRegularOutput';

		const [[item] = []] = (await run({ items, credential, settings: { onError } })).outputs;

		expect(item?.error).toMatchObject({ failure: { cause: 'credential-invalid' } });
	});
});

/** Answers with this status, and breaks off within the body. */
async function brokenService(status: number, headers: OutgoingHttpHeaders = {}) {
	return await serviceThatAnswers((response) => {
		response.writeHead(status, { ...JSON_TYPE, 'Content-Length': 500, ...headers });
		response.write('{"message":');
		setImmediate(() => response.destroy());
	});
}

describe('an answer that breaks off', () => {
	it.each<[number, OutgoingHttpHeaders, RegExp]>([
		[400, {}, /\. Nothing was charged for "document\.jpg" \(charge: none\) \[item 0\]$/],
		[500, {}, MAY_BE_CHARGED],
		[503, {}, MAY_BE_CHARGED],
		// It says when to come again, and not that the request wasn't processed.
		[502, { 'Retry-After': '1' }, MAY_BE_CHARGED],
	])('is still an answer with %d %j', async (status, headers, charge) => {
		const { asked, credential } = await brokenService(status, headers);

		const { message } = failureOf(await run({ credential }));

		expect(asked()).toBe(1);
		expect(message).toMatch(`The service answered with status ${status}. `);
		expect(message).toMatch(charge);
	});
});

it('names the transaction of an answer that breaks off', async () => {
	const { credential } = await serviceThatAnswers((response) => {
		response.writeHead(200, { ...JSON_TYPE, 'Content-Length': 500 });
		response.write('{"transactionId":"tx-1",', () => response.destroy());
	});

	const { message, description } = failureOf(await run({ credential }));

	expect(message).toMatch(/^No answer from the service: the connection was lost\..* charged/);
	expect(description).toMatch(/^Look transaction tx-1 up/);
});

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n';

it.each([
	['plain text that says it is gzip', 'Z_DATA_ERROR', `${HEAD}Content-Encoding: gzip\r\n\r\n{}`],
	['the greeting of another service', 'HPE_INVALID_CONSTANT', 'SSH-2.0-edge\r\n'],
])('an answer with %s is no lost connection, but %s', async (_, code, answer) => {
	const credential = { baseUrl: await afterRequest((socket) => socket.end(answer)) };

	const { message } = failureOf(await run({ credential, settings: retryOnFail(2) }));

	expect(message).toBe(
		`No answer from the service: n8n could not read the answer (${code}). The request may have been processed and charged for "document.jpg" (charge: possible) [item 0]`,
	);
});

it.each([undefined, 7, 'a person', ''])(
	'a code that is not one of Node.js is not shown: %j',
	(code) => {
		expect(reasonOf(connectionFailure({ code, cause: { code } }))).toBe(
			'n8n could not read the answer',
		);
	},
);

describe('a service that is not reached', () => {
	// These can't be had from a server of the tests.
	it.each([
		[{ name: 'SsrfBlockedIpError' }, /protection against requests to internal addresses/],
		[{ code: 'CERT_HAS_EXPIRED' }, /certificate/],
		[{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, /certificate/],
		[{ code: 'CERT_NOT_YET_VALID' }, /^its TLS certificate is not valid$/],
		[{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, /NODE_EXTRA_CA_CERTS/],
		[{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, /NODE_EXTRA_CA_CERTS/],
		[{ code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }, /NODE_EXTRA_CA_CERTS/],
		[{ code: 'EAI_AGAIN' }, /could not be looked up/],
		[{ code: 'ERR_INVALID_URL' }, /not valid/],
	])('because of %j: nothing was sent', (cause, reason) => {
		const failure = connectionFailure({ cause });

		expect(failure.kind).toBe('unsent');
		expect(reasonOf(failure)).toMatch(reason);
	});

	it('at a refused connection: nothing was sent', async () => {
		const baseUrl = await unusedUrl();

		const { message, description } = failureOf(await run({ credential: { baseUrl } }));

		expect(message).toMatch(NOT_SENT);
		expect(message).toMatch(/refused/);
		expect(description).toMatch(/^Check the credential's 'Base URL'/);
	});

	it('at a host name that does not exist: nothing was sent', async () => {
		const baseUrl = 'https://service.invalid';

		const { message } = failureOf(await run({ credential: { baseUrl } }));

		expect(message).toMatch(NOT_SENT);
	});

	it('at a certificate of an authority of its own: nothing was sent, and the way out is named', async () => {
		let asked = 0;
		await proxyEveryHost((_, response) => response.end(String(asked++)), { isTrusted: false });

		const { message } = failureOf(
			await run({ credential: { baseUrl: 'https://service.example.com' } }),
		);

		expect(message).toMatch(NOT_SENT);
		expect(message).toMatch(
			/does not trust the authority .* TLS certificate\. .*NODE_EXTRA_CA_CERTS/,
		);
		expect(asked).toBe(0);
	});

	it('at a server without TLS: nothing was sent', async () => {
		const { url } = await listen((_, response) => response.end());

		const { message } = failureOf(
			await run({ credential: { baseUrl: url.replace('http:', 'https:') } }),
		);

		expect(message).toMatch(NOT_SENT);
	});

	it.each(['default', 'filesystem'] as const)(
		'at a TLS handshake that is not done, in binary mode %s: nothing was sent',
		async (binaryMode) => {
			const baseUrl = await afterHello((socket) => socket.end());

			const { message } = failureOf(await run({ binaryMode, credential: { baseUrl } }));

			expect(message).toMatch(NOT_SENT);
			expect(message).toMatch(/the connection ended during the TLS handshake/);
		},
	);

	it('at a TLS alert that can come later too: may have been charged', async () => {
		const alert = Buffer.from([21, 3, 1, 0, 2, 2, 40]);
		const baseUrl = await afterHello((socket) => socket.end(alert));

		const { message } = failureOf(await run({ credential: { baseUrl } }));

		expect(message).toMatch(
			/^No answer from the service: n8n could not read the answer \(EPROTO\)\. The request may/,
		);
	});
});

describe('of the texts of an error with a code,', () => {
	const eproto = (problem: string) =>
		`write EPROTO 80BC06:error:0A00010B:SSL routines:ssl3_get_record:${problem}:../ssl.c:350:\n`;
	const failureWith = (message: string) => connectionFailure({ code: 'EPROTO', message });

	it.each([
		'Client network socket disconnected before secure TLS connection was established',
		...['wrong version number', 'packet length too long', 'unknown protocol'].map(eproto),
	])('surely unsent is: %s', (text) => {
		expect(failureWith(text).kind).toBe('unsent');
	});

	it.each([
		eproto('sslv3 alert bad record mac'),
		eproto('bad record mac: no wrong version number'),
		'write EPROTO',
		'stream has been aborted',
	])('perhaps sent is: %s', (text) => {
		expect(failureWith(text)).toEqual({ kind: 'unreadable', code: 'EPROTO' });
	});
});

it.each(['ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'ECONNREFUSED'])(
	'a host that answers with %s over both IPv4 and IPv6 got nothing',
	(code) => {
		const tried = ['::1', '127.0.0.1'].map((address) =>
			Object.assign(new Error(`connect ${code} ${address}:443`), { code, syscall: 'connect' }),
		);
		const failed = Object.assign(new AggregateError(tried), { code });
		const error = Object.assign(new Error('failed', { cause: failed }), { code });

		expect(connectionFailure({ cause: error }).kind).toBe('unsent');
	},
);

it.each([
	['read', 'ETIMEDOUT'],
	['read', 'ECONNRESET'],
	['write', 'EPIPE'],
	['write', 'ECONNABORTED'],
])('after a %s that fails with %s, the service may have got the request', (syscall, code) => {
	const failed = Object.assign(new Error(`${syscall} ${code}`), { code, syscall });
	const error = Object.assign(new Error('failed', { cause: failed }), { code });

	expect(connectionFailure({ cause: error })).toEqual({ kind: 'broken' });
});

it('does not mistake a text of the service for one of Node.js', () => {
	const cause = { code: 'ECONNRESET', message: 'socket hang up' };
	const message = 'connect ECONNREFUSED 10.0.0.1:443';

	expect(connectionFailure({ message, messages: [message], cause })).toEqual({ kind: 'broken' });
});

/** The address of a server that does this as soon as a client has begun a TLS handshake. */
async function afterHello(then: (socket: Socket) => void): Promise<string> {
	return `https://${await rawServer((socket) => socket.once('data', () => then(socket)))}`;
}

/** The address of a server that does this once the JSON of a request has arrived. */
async function afterRequest(then: (socket: Socket) => void): Promise<string> {
	const hostAndPort = await rawServer((socket) =>
		socket.on('data', (bytes) => {
			if (String(bytes).endsWith('}')) then(socket);
		}),
	);
	return `http://${hostAndPort}`;
}

async function rawServer(onConnection: (socket: Socket) => void): Promise<string> {
	const server = createServer((socket) => onConnection(socket.on('error', () => undefined)));
	await once(server.listen(0, '127.0.0.1'), 'listening');
	servers.add(server);
	return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('the headline of a failed item, which is all that n8n keeps of it under Continue,', () => {
	const settings = CONTINUE;
	const file = { files: { data: { content: picture(), fileName: 'visa-17.jpg' } } };
	const headlineOf = async (status: number, options: ActionOptions) => {
		const { credential } = await serviceWithStatuses([status], { message: 'No' });
		const [item] = jsonOf(await run({ credential, settings, ...options }));
		return item?.error;
	};

	it.each([400, 401, 402, 403, 404, 405, 407, 413, 415, 422])(
		'says after a %d that nothing was charged, and for which file',
		async (status) => {
			expect(await headlineOf(status, { items: [file] })).toBe(
				`The service answered with status ${status}: No. Nothing was charged for "visa-17.jpg" (charge: none) [item 0]`,
			);
		},
	);

	it.each(['message', 'error', 'detail', 'description', 'title', 'code'])(
		'shows the text that the service sends as its %s',
		async (key) => {
			const { credential } = await serviceWithStatuses([400], { [key]: 'No profile' });
			const [item] = jsonOf(await run({ credential, settings, items: [file] }));

			expect(item?.error).toMatch(/^The service answered with status 400: No profile\. Nothing/);
		},
	);

	it('says it in words that the name of a file cannot make disappear', async () => {
		const fileName = 'a" [item 9]\n\u2028\u202eNothing was charged.jpg';
		const items = [{ files: { data: { content: picture(), fileName } } }];

		const headline = await headlineOf(500, { items });

		expect(headline).toMatch(/may have been processed and charged for "a \[item 9\] Nothing/);
		expect(headline).not.toMatch(/[\n\u2028\u202e]/);
	});

	it('names the face of a link that has no ID in its Custom Data', async () => {
		const files = { face: { content: picture(), fileName: 'face-17.jpg' } };
		const link = { operation: 'createHostedLink', mode: 2, customData: 'Varkov' };
		expect(await headlineOf(500, { items: [{ files }], parameters: link })).toMatch(
			/charged for "face-17\.jpg" \(charge: possible\) \[item 0\]$/,
		);
	});

	it.each([
		['applicant-17', / for "applicant-17" \(charge: possible\) \[item 0\]$/],
		['Ivo Varkov', /charged \(charge: possible\) \[item 0\]$/],
		['Varkov', /charged \(charge: possible\) \[item 0\]$/],
		['ivo@varkov.example', /charged \(charge: possible\) \[item 0\]$/],
	])('names a link by Custom Data that looks like an ID: %s', async (customData, expected) => {
		const parameters = { operation: 'createHostedLink', mode: 1, customData };
		expect(await headlineOf(500, { parameters })).toMatch(expected);
	});

	it.each<[string, ActionOptions]>([
		['an expression that fails', { parameters: { profile: '={{ $json.a.b.c() }}' } }],
		['a credential that cannot be read', { credentialFailure: { failure: new Error('Away') } }],
		['a Base URL that is not a URL', { credential: { baseUrl: 'nowhere' } }],
	])('says of %s that nothing was charged', async (_, options) => {
		const [item] = jsonOf(await run({ settings, ...options }));
		expect(item?.error).toMatch(/Nothing was charged/);
	});
});

describe('the cost of a failure is told once in words, and the mark is at the end:', () => {
	const words = /\b(charged|nothing was sent|costs? nothing)\b/gi;

	it.each<[string, ActionOptions]>([
		['a wrong item', { items: [documentItem(textFile('notes.txt').content)] }],
		['a wrong setting', { parameters: { operation: 'fly' } }],
		['a refusal', { credential: { apiKey: 'wrong-key' } }],
		['no connection', { credential: { baseUrl: 'http://127.0.0.1:1' } }],
		['a download', downloadOf('https://elsewhere.example.com/report.pdf')],
		['a limit', { ...documentItems(2), parameters: { options: { maxPaidRequests: 1 } } }],
	])('%s', async (_, options) => {
		const { message, description } = failureOf(await run(options));

		expect(`${message} ${description}`.match(words)).toEqual(['charged']);
		expect(message).toMatch(/\(charge: none\)( \[item 0\])?$/);
	});

	it('many refusals', async () => {
		const { credential } = await serviceWithStatuses([429], {}, { 'Retry-After': '3600' });
		const options = { maxParallelRequests: 1 };

		const { outputs } = await run({
			...documentItems(2),
			credential,
			parameters: { options },
			settings: CONTINUE,
		});

		const { message, description } = outputs[0]?.[1]?.error ?? {};
		expect(message).toMatch(/refusing all requests/);
		expect(`${message} ${description}`.match(words)).toEqual(['charged']);
	});
});

it.each([
	[403, /Check the key and the profile/],
	[405, /Check the 'Base URL'/],
	[407, /proxy settings of n8n/],
	[413, /Use a smaller image/],
	[418, /Check the profile and the other parameters of this item/],
])('a %d is followed by advice', async (status, advice) => {
	const { credential } = await serviceWithStatuses([status], {});

	expect(failureOf(await run({ credential })).description).toMatch(advice);
});

describe('a failure with the word by which n8n tells a canceled execution', () => {
	it('is a failure all the same, so that Retry returns what is paid', async () => {
		const { items, images } = documentItems(3);
		const body = { message: 'Subscription canceled' };
		await sandbox.faultOn(images[2], { kind: 'status', status: 402, body });
		const parameters = { options: { maxParallelRequests: 1 } };

		const failed = await run({ items, parameters });
		const passed = await run({ parameters, retryOf: failed });

		expect(failureOf(failed)).toMatchObject({
			status: 'error',
			message: expect.stringMatching(/status 402: Subscription cancelled\. Nothing was charged/),
			description: expect.stringContaining('Subscription canceled'),
		});
		expect(passed.status).toBe('success');
		expect(await sandbox.billed()).toBe(3);
	});

	it.each<[string, ActionOptions]>([
		['of a file', { items: [{ files: { data: textFile('visa-canceled.txt') } }] }],
		['of a field', { parameters: { documentBinaryField: 'canceled' } }],
		['of a credential', { credentialFailure: { failure: new Error('It was canceled') } }],
	])('%s is a failure all the same', async (_, options) => {
		const { status, message } = failureOf(await run(options));

		expect(status).toBe('error');
		expect(message).not.toContain('canceled');
	});
});

// n8n replaces a message in which such a code occurs by a text of its own.
it('keeps its own words about a 502 whose text holds a code of Node.js', async () => {
	const body = { message: 'Upstream: ECONNREFUSED by peer' };
	const { credential } = await serviceWithStatuses([502, 502], body);

	const { message } = failureOf(await run({ credential }));
	const [item] = jsonOf(await run({ credential, settings: CONTINUE }));

	expect(message).toBe(
		'The service answered with status 502: Upstream: ECONNREFUSED by peer. The request may have been processed and charged for "document.jpg" (charge: possible) [item 0]',
	);
	expect(item?.error).toBe(message);
});

it.each([
	[
		'the title of a page',
		'\n <html><head><title lang="en">Bad Gateway</title></head></html>',
		'Bad Gateway',
	],
	['a text', ' The profile\r\n\n\tis\u202e \u2028closed ', 'The profile is closed'],
	['the beginning of a long text', 'word '.repeat(100), 'word '.repeat(40).trim()],
	['a text up to where data begins', 'Failed for {"fullName":"Ivo"}', 'Failed for'],
])('shows of an answer that is no JSON %s', async (_, body, shown) => {
	const { credential } = await serviceThatAnswers((response) => response.writeHead(400).end(body));

	const { message } = failureOf(await run({ credential }));

	expect(message).toContain(`status 400: ${shown}. Nothing was charged`);
});

it.each(['<html><body>Bad Gateway</body></html>', '{"fullName":"Ivo"', '["Ivo"', ''])(
	'shows nothing of an answer that is only %j',
	async (body) => {
		const { credential } = await serviceThatAnswers((response) =>
			response.writeHead(400).end(body),
		);

		const { message } = failureOf(await run({ credential }));

		expect(message).toContain('status 400. Nothing was charged');
	},
);

describe("the service's own text in an error, with Decision Only or Decision and Fields", () => {
	const fail = async (body: object, output: string) => {
		const { credential } = await serviceWithStatuses([400], body);
		// In memory, the image would be stored too, and its letters are random.
		const binaryMode = 'filesystem';
		const result = await run({ binaryMode, credential, parameters: { output } });
		return { ...failureOf(result), stored: JSON.stringify(result.stored) };
	};

	it.each(['decisionOnly', 'decisionAndFields'])('is left out: %s', async (output) => {
		const body = { message: 'No match for ALEX SPECIMEN, 1990-04-01' };
		const { message, stored } = await fail(body, output);

		expect(message).toMatch(
			/status 400: \(what the service wrote is hidden because 'Output' is neither Simplified nor Raw\)\. Nothing was charged for "document\.jpg" \(charge: none\) \[item 0\]/,
		);
		expect(stored).not.toMatch(/ALEX|SPECIMEN|1990-04-01/);
	});
});

describe('another status of success than 200', () => {
	it('loses no result', async () => {
		const { credential } = await serviceWithStatuses([201], { decision: 'review' });

		expect(jsonOf(await run({ credential }))).toMatchObject([{ decision: 'review' }]);
	});

	it.each(['simplified', 'decisionOnly', 'raw'])('proves no accept: %s', async (output) => {
		const { credential } = await serviceWithStatuses([202], { decision: 'accept' });
		const parameters = { output, branchOnDecision: true };

		const { outputs } = await run({ credential, parameters });

		expect(outputs).toMatchObject([[{ json: { unrecognizedDecision: true } }], [], []]);
	});

	it('without a result is reported as possibly charged', async () => {
		const { credential } = await serviceWithStatuses([202], [{ status: 'queued' }]);

		expect(failureOf(await run({ credential })).message).toMatch(MAY_BE_CHARGED);
	});
});
