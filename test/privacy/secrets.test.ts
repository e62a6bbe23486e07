import { inspect } from 'node:util';

import { listen, listenJson, listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem, downloadOf, failureOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { useLogs } from '../kit/engine/logs';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);
const logs = useLogs();

const apiKey = 'sandbox-key';
const webhookSecret = 'webhook secret of the tests';
const image = picture(600);
const base64 = image.toString('base64');

/** Runs a node that fails; gives all that was logged, and all that n8n stores of the failure. */
async function tracesOf(options: ActionOptions) {
	const result = await run({
		items: [documentItem(image)],
		...options,
		credential: { webhookSecret, ...options.credential },
	});
	const { message } = failureOf(result);
	expect(message).not.toBe('');
	expect(logs.text()).not.toBe('');
	const error = inspect([result.error, result.stored.resultData.error], {
		depth: Infinity,
		maxStringLength: Infinity,
		showHidden: true,
	});
	return { message, traces: `${logs.text()}\n${error}` };
}

it.each(['unauthorized', 'html', 'truncated', 'wrongShape', 'broken', 'noAnswer'])(
	'logs and errors hold no key, image or personal data after %s',
	async (kind) => {
		await sandbox.fault({ on: 'scan', kind });
		const parameters = kind === 'noAnswer' ? { options: { timeout: 1 } } : {};

		const { traces } = await tracesOf({ parameters });

		for (const secret of [apiKey, webhookSecret, base64.slice(0, 100), base64.slice(-100)]) {
			expect(traces.includes(secret)).toBe(false);
		}
		expect(traces).not.toMatch(/SPECIMEN|ALEX|1990-02-14/);
	},
);

it.each(['as JSON', 'as text'])(
	'an error shows no part of a key that a long text %s ends in',
	async (form) => {
		const text = `${'A'.repeat(9_995)} ${apiKey}`;
		const body = form === 'as JSON' ? JSON.stringify({ message: text }) : text;
		const { url: baseUrl } = await listenToEnd((_, response) => response.writeHead(400).end(body));

		const { error } = await run({ credential: { baseUrl } });

		expect(error?.message).toMatch(
			/^The service answered with status 400: … …\. Nothing was charged/,
		);
	},
);

it('an error shows nothing of a text that was cut off, which may end in a part of the key', async () => {
	const { url: baseUrl } = await listenToEnd((_, response) => {
		const body = `No such key: ${apiKey}`;
		response.writeHead(400, { 'Content-Length': body.length });
		response.write(body.slice(0, -2), () => response.destroy());
	});

	const { message, traces } = await tracesOf({ credential: { baseUrl } });

	expect(message).toMatch(/^The service answered with status 400\. Nothing was charged/);
	expect(traces).not.toContain('No such key');
});

it.each([
	'\u200bsecret-key-4711',
	'secret-\u2010key-4711',
	'secret-\nkey-4711',
	'secret\u0007-key-4711',
])(
	'messages hold the key neither as it is in the credential nor as it was sent: %j',
	async (key) => {
		const sent: string[] = [];
		const { url: baseUrl } = await listenJson((request) => {
			sent.push(String(request.headers['x-api-key']));
			return { status: 401, body: { message: `No such key: ${sent[0]}, ${key}` } };
		});

		const { message, traces } = await tracesOf({ credential: { baseUrl, apiKey: key } });

		expect(sent).toEqual(['secret-key-4711']);
		expect(message).toContain('No such key: …, …');
		expect(traces).not.toContain('key-4711');
	},
);

it('messages hold no key that an expression gives as a number', async () => {
	const { url: baseUrl } = await listenToEnd((_, response) =>
		response.writeHead(401).end('"No such key: 4711"'),
	);

	const { error } = await run({ credential: { baseUrl, apiKey: 4711 } });

	expect(error?.message).toMatch(/^The service answered with status 401: No such key: …\./);
});

describe('a text of the service that holds a secret', () => {
	const key = 'ab/cd+ef gh';
	const secret = 'kT4-_wQ9zR2mX7pL5vN8';

	/** What of the text is shown, after checking that no trace holds what must not be there. */
	const shown = async (text: string, hidden: RegExp, credential: object = {}) => {
		const { url: baseUrl } = await listen((request, response) => {
			request
				.resume()
				.on('end', () => response.writeHead(400).end(JSON.stringify({ message: text })));
		});
		const { message, traces } = await tracesOf({
			credential: { baseUrl, apiKey: key, webhookSecret: secret, ...credential },
		});
		expect(traces).not.toMatch(hidden);
		return /^The service answered with status 400(.*)\. Nothing was charged/s.exec(message)?.[1];
	};

	it.each<[string, string]>([
		[
			`The webhook https://n8n.test/webhook/a/webhook?secret=${secret} does not answer`,
			': The webhook https://n8n.test/webhook/a/webhook?secret=… does not answer',
		],
		[
			'The webhook "https://n8n.test/w?a=1&secret=of-another-webhook&b=2" does not answer',
			': The webhook "https://n8n.test/w?a=1&secret=…&b=2" does not answer',
		],
		[
			'Cannot ping https://proxy.test/?url=https%3A%2F%2Fn8n.test%2Fw%3Fsecret%3Dof-another-webhook',
			': Cannot ping https://proxy.test/?url=https%3A%2F%2Fn8n.test%2Fw%3Fsecret%3D…',
		],
		['X-Webhook-Secret: of-another-webhook was refused', ': X-Webhook-Secret: … was refused'],
		['Sent "X-Webhook-Secret":["of-another-webhook"]', ': Sent "X-Webhook-Secret":'],
		[`Signed with ${secret}!`, ': Signed with …!'],
		[`Signed with ${secret.toLowerCase()}!`, ': Signed with …!'],
		[`Signed with ${escapedFully(secret)}!`, ': Signed with …!'],
		[`No key ${key}!`, ': No key …!'],
		[`No key ${encodeURIComponent(key)}!`, ': No key …!'],
		[`No key ${encodeURIComponent(key).toLowerCase()}!`, ': No key …!'],
		[`No key ${encodeURIComponent(encodeURIComponent(key))}!`, ': No key …!'],
		[`No key ${encodeURI(key)}!`, ': No key …!'],
		[`No key ${String(new URLSearchParams({ key })).slice(4)}!`, ': No key …!'],
		[`No key ab\\/cd+ef gh!`, ': No key …!'],
		[`No key ab\\u002fcd\\u002Bef gh!`, ': No key …!'],
		[`No key ab&#x2F;cd&#43;ef&#32;gh!`, ': No key …!'],
		['GET /w?a=1\\u0026secret\\u003dof-another-webhook', ': GET /w?a=1\\u0026secret\\u003d…'],
		['GET /w?a=1&amp;secret&#61;of-another-webhook', ': GET /w?a=1&amp;secret&#61;…'],
	])('shows the rest of it: %s', async (text, rest) => {
		expect(await shown(text, /kT4|wQ9z|of-another|cd(\+|%2b|%252b)ef/i)).toBe(rest);
	});

	it.each([
		['a.c$', 'abc$ is not a.c$!', ': abc$ is not …!'],
		['[key]', 'No [key] of yours', ': No … of yours'],
		['schlüssel', 'Nicht: schl%C3%BCssel!', ': Nicht: …!'],
		['schlüssel', 'Nicht: schl&#252;ssel!', ': Nicht: …!'],
		[`R&D "team's" <key>`, 'No R&amp;D &quot;team&#39;s&quot; &lt;key&gt; here', ': No … here'],
	])('takes out the key %s as it is written in: %s', async (apiKey, text, rest) => {
		expect(await shown(text, /not a\.c|No \[key|schl|team/, { apiKey })).toBe(rest);
	});

	it('is left out as a whole if the secret is too short to be taken out', async () => {
		// With a character that no ID has: a key of letters would also be found in n8n's random IDs.
		const apiKey = 'k_y';
		expect(await shown(`No such key: ${apiKey}`, /No such key/, { apiKey })).toBe('');
		expect(await shown('No such profile', /k_y/, { apiKey })).toBe(': No such profile');
	});

	it('is no transaction', async () => {
		const { url: baseUrl } = await listen((request, response) => {
			request
				.resume()
				.on('end', () => response.end(JSON.stringify({ transactionId: secret, success: false })));
		});

		const { message, traces } = await tracesOf({
			credential: { baseUrl, webhookSecret: secret },
		});

		expect(message).toMatch(/^The service answered, but not with a readable scan result/);
		expect(traces).not.toContain(secret);
	});
});

it('the name of a host, which is a text of the service, shows no secret', async () => {
	const fileUrl = `https://${apiKey}.files.test/report.pdf`;
	const { message, traces } = await tracesOf(downloadOf(fileUrl, { credential: {} }));

	expect(message).toMatch(/^A file could not be downloaded: …\.files\.test is not an allowed host/);
	expect(traces).not.toContain(apiKey);
});

/** Each character percent-encoded. */
function escapedFully(text: string): string {
	return [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');
}
