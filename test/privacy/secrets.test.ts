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

/** Shown in place of a service's text. */
const HIDDEN = ': (what the service wrote is hidden because it may contain a key or an image)';

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
			/^The service answered with status 400: \(what the service wrote is hidden .*\)\. Nothing/,
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
		expect(message).toContain(`status 401${HIDDEN}. Nothing was charged`);
		expect(traces).not.toContain('key-4711');
	},
);

it('messages hold no key that an expression gives as a number', async () => {
	const { url: baseUrl } = await listenToEnd((_, response) =>
		response.writeHead(401).end('"No such key: 4711"'),
	);

	const { error } = await run({ credential: { baseUrl, apiKey: 4711 } });

	expect(error?.message).toContain(`status 401${HIDDEN}. Nothing was charged`);
});

describe('a text of the service that holds a secret', () => {
	const key = 'kP3v/cd7+efQ2x W8rT5+yZ1uB==';
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

	it.each([
		`The webhook https://n8n.test/webhook/a/webhook?secret=${secret} does not answer`,
		'The webhook "https://n8n.test/w?a=1&secret=of-another-webhook&b=2" does not answer',
		'Cannot ping https://proxy.test/?url=https%3A%2F%2Fn8n.test%2Fw%3Fsecret%3Dof-another-webhook',
		'X-Webhook-Secret: of-another-webhook was refused',
		'Sent "X-Webhook-Secret":["of-another-webhook"]',
		'Sent secret\'="of-another-webhook"',
		`Signed with ${secret}!`,
		`Signed with ${secret.toLowerCase()}!`,
		`Signed with ${escapedFully(secret)}!`,
		`Signed with\n${secret.slice(0, 9)}\n${secret.slice(9)}!`,
		`No key ${key}!`,
		`No key ${encodeURIComponent(key)}!`,
		`No key ${encodeURIComponent(key).toLowerCase()}!`,
		`No key ${encodeURIComponent(encodeURIComponent(key))}!`,
		`No key ${encoded(key, 5)}!`,
		`No key ${encodeURI(key)}!`,
		`No key ${String(new URLSearchParams({ key })).slice(4)}!`,
		'No key kP3v\\/cd7+efQ2x W8rT5+yZ1uB==!',
		'No key kP3v\\u002fcd7\\u002BefQ2x W8rT5\\u002ByZ1uB==!',
		'No key kP3v&#x2F;cd7&#43;efQ2x&#32;W8rT5&#43;yZ1uB&#61;&#61;!',
		'No key kP3v&amp;#x2F;cd7%26%2343;efQ2x&#000000032;W8rT5+yZ1uB==!',
		'GET /w?a=1\\u0026secret\\u003dof-another-webhook',
		'GET /w?a=1&amp;secret&#61;of-another-webhook',
		`Long ${'words '.repeat(1_000)} ${key}!`,
		`Failed for {"key":"${key}"}`,
		`No key ${Buffer.from(key).toString('base64')}!`,
		`Signed with ${secret.slice(1)}!`,
		// Twelve letters and digits of it in a row.
		`Signed with ${secret.slice(0, 14)}!`,
		`Signed with ${secret.replace('_', '\\x5f')}!`,
		`Signed with ${secret.replace('_', '=5F')}!`,
		`Signed with ${secret.replace('_', '&lowbar;')}!`,
		`Signed with ${secret.replace('w', '%u0077')}!`,
		`Signed with ${Buffer.from(secret).toString('base64')}!`,
		'The secret is missing',
	])('is hidden as a whole: %s', async (text) => {
		expect(await shown(text, /kT4|wQ9z|of-another|efQ2x|W8rT5/i)).toBe(HIDDEN);
	});

	it.each([
		['a.c$', 'abc$ is not a.c$!'],
		['[key]', 'No [key] of yours'],
		['identity-4711', 'No identity-4711 key'],
		['!#$%&*+', 'No key !#$%&*+ here'],
		['schlüssel-des-dienstes', 'Nicht: schl%C3%BCssel-des-dienstes!'],
		['schlüssel-des-dienstes', 'Nicht: schl&#252;ssel-des-dienstes!'],
		[
			`R&D "team's" <key-of-the-year>`,
			'No R&amp;D &quot;team&#39;s&quot; &lt;key-of-the-year&gt; here',
		],
		['k%41y-of-mine-and-yours', 'No key k%2541y-of-mine-and-yours'],
		['live:team-47:q8Zt-77Kp', 'GET /check?key=live%3Ateam-47%3Aq8Zt-77Kp'],
		['k3y-7d+f9-team', 'No k3y-7d&#43;f9-team'],
		['k3y-7d+f9-team', 'No k3y-7d\\u002bf9-team'],
		// Too short to be hidden as a long word.
		['k3y-7d+f9-team', 'No key azN5LTdkK2Y5LXRlYW0='],
	])('is hidden for the key %s, as it is written in: %s', async (apiKey, text) => {
		const hidden = /not a\.c|No \[key|!#|schl|team|of-mine|azN5/;
		expect(await shown(text, hidden, { apiKey })).toBe(HIDDEN);
	});

	it('is shown for a key with a usual word that is in it', async () => {
		const apiKey = 'identity-4711-profile';
		expect(await shown('No such identity profile', /4711/, { apiKey })).toBe(
			': No such identity profile',
		);
	});

	// With a character that no ID has: a key of letters would also be found in n8n's random IDs.
	it.each(['k_y', ' k_y\n'])(
		'compares a secret of under twelve letters as it is: %j',
		async (apiKey) => {
			expect(await shown('No such key "k_y"', /No such key/, { apiKey })).toBe(HIDDEN);
			expect(await shown('No sky profile', /k_y/, { apiKey })).toBe(': No sky profile');
		},
	);

	it.each([
		['11 letters of the secret in a row', `Not ${secret.slice(0, 13)} alone!`],
		['an ID', 'No profile 3f2504e0-4f89-11d3-9a0c-0305e82c3301'],
		['23 characters without a gap', `No profile ${'a1'.repeat(11)}b`],
	])('is shown if it contains %s', async (_, text) => {
		expect(await shown(text, /of-another/)).toBe(`: ${text}`);
	});

	it.each(['a1'.repeat(12), `Not ${base64.slice(0, 600)}`])(
		'is hidden if it may contain a key or an image: %s',
		async (text) => {
			expect(await shown(text, new RegExp(text.slice(4, 36).replaceAll('+', '\\+')))).toBe(HIDDEN);
		},
	);

	it('is shown up to an image that follows in data', async () => {
		const text = `Failed for {"document":"${base64}"}`;
		expect(await shown(text, new RegExp(base64.slice(0, 32).replaceAll('+', '\\+')))).toBe(
			': Failed for',
		);
	});

	/** A scan that the service answers with a transaction, but without a result. */
	const transactionOf = async (transactionId: string) => {
		const { url: baseUrl } = await listen((request, response) => {
			request
				.resume()
				.on('end', () => response.end(JSON.stringify({ transactionId, success: false })));
		});
		return await tracesOf({ credential: { baseUrl, webhookSecret: secret } });
	};

	it('is no transaction', async () => {
		const { message, traces } = await transactionOf(secret);

		expect(message).toMatch(/^The service answered, but not with a readable scan result/);
		expect(traces).not.toContain(secret);
	});

	it('is not any long ID: a transaction of 24 characters is named', async () => {
		const { traces } = await transactionOf('507f1f77bcf86cd799439011');

		expect(traces).toContain('Look transaction 507f1f77bcf86cd799439011 up');
	});
});

it('the name of a host, which is a text of the service, shows no secret', async () => {
	const fileUrl = `https://${apiKey}.files.test/report.pdf`;
	const { message, traces } = await tracesOf(downloadOf(fileUrl, { credential: {} }));

	expect(message).toMatch(/^A file could not be downloaded: \(the reason is hidden .*\)\. Nothing/);
	expect(traces).not.toContain(apiKey);
});

/** Percent-encoded that many times. */
function encoded(text: string, times: number): string {
	return times === 0 ? text : encodeURIComponent(encoded(text, times - 1));
}

/** Each character percent-encoded. */
function escapedFully(text: string): string {
	return [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');
}
