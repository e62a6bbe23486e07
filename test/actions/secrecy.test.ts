import { inspect } from 'node:util';

import { listen } from '../kit/httpServer';
import { useSandbox } from '../kit/sandbox';
import { actionNode, documentItem, failureOf, picture } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { captureLogs } from '../kit/engine';

const sandbox = useSandbox();
const { run } = actionNode(sandbox);

const apiKey = 'sandbox-key';
const webhookSecret = 'webhook secret of the tests';
const image = picture(600);
const base64 = image.toString('base64');

/** Runs a node that fails; gives all that was logged, and all that n8n stores of the failure. */
async function tracesOf(options: ActionOptions) {
	const logs = captureLogs();
	const result = await run({
		items: [documentItem(image)],
		...options,
		credential: { webhookSecret, ...options.credential },
	}).finally(() => logs.stop());
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
		const { url: baseUrl } = await listen((request, response) => {
			const body = form === 'as JSON' ? JSON.stringify({ message: text }) : text;
			request.resume().on('end', () => response.writeHead(400).end(body));
		});

		const { error } = await run({ credential: { baseUrl } });

		expect(error?.message).toMatch(
			/^The service answered with status 400: … …\. Nothing was charged/,
		);
	},
);

it.each([
	'\u200bsecret-key-4711',
	'secret-\u2010key-4711',
	'secret-\nkey-4711',
	'secret\u0007-key-4711',
])(
	'messages hold the key neither as it is in the credential nor as it was sent: %j',
	async (key) => {
		const sent: string[] = [];
		const { url: baseUrl } = await listen((request, response) => {
			sent.push(String(request.headers['x-api-key']));
			request.resume().on('end', () => {
				response.writeHead(401, { 'Content-Type': 'application/json' });
				response.end(JSON.stringify({ message: `No such key: ${sent[0]}, ${key}` }));
			});
		});

		const { message, traces } = await tracesOf({ credential: { baseUrl, apiKey: key } });

		expect(sent).toEqual(['secret-key-4711']);
		expect(message).toContain('No such key: …, …');
		expect(traces).not.toContain('key-4711');
	},
);

it('messages hold no key that an expression gives as a number', async () => {
	const { url: baseUrl } = await listen((request, response) => {
		request.resume().on('end', () => response.writeHead(401).end('"No such key: 4711"'));
	});

	const { error } = await run({ credential: { baseUrl, apiKey: 4711 } });

	expect(error?.message).toMatch(/^The service answered with status 401: No such key: …\./);
});
