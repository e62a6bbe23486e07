import { fixture } from '../kit/data/fixtures';
import { listenJson } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, failureOf } from '../kit/engine/action';
import { CONTINUE } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

/** Runs a scan with a base URL made from that of a service; tells which paths were asked for. */
async function pathsWith(baseUrl: (url: string) => string) {
	const paths: (string | undefined)[] = [];
	const { url } = await listenJson((request) => {
		paths.push(request.url);
		return { body: fixture('scan-accept') };
	});
	const failure = failureOf(await run({ credential: { baseUrl: baseUrl(url) } }));
	return { paths, failure };
}

describe('Base URL', () => {
	it.each<[string, (url: string) => string, string]>([
		['as it is', (url) => url, '/scan'],
		['with a slash at its end', (url) => `${url}/`, '/scan'],
		['with many', (url) => `${url}///`, '/scan'],
		['with spaces around it', (url) => ` ${url} `, '/scan'],
		['with a path', (url) => `${url}/api/v2`, '/api/v2/scan'],
		['with a path and a slash', (url) => `${url}/api/v2/`, '/api/v2/scan'],
		['with an @ in its path', (url) => `${url}/@team`, '/@team/scan'],
		['of localhost', (url) => url.replace('127.0.0.1', 'localhost'), '/scan'],
		['in capitals', (url) => url.replace('http', 'HTTP'), '/scan'],
	])('is used %s', async (_, baseUrl, path) => {
		const { paths, failure } = await pathsWith(baseUrl);

		expect(failure.message).toBe('');
		expect(paths).toEqual([path]);
	});

	it.each([
		'http://api.example.com',
		'http://192.168.1.10',
		'http://localhost.example.com',
		'http://127.0.0.1.example.com',
		'http://localhost@api.example.com',
		'http://127.0.0.1:80@api.example.com',
		'http://0.0.0.0',
		'ftp://api.example.com',
		'file:///etc/hosts',
		'api.example.com',
		'https://',
		'https://user:password@api.example.com',
		'https://@api.example.com',
		'https:///user@api.example.com',
		'https://\t/user@api.example.com',
		'https://api.example.com\\x',
		'https://api.example.com/?a=1',
		'https://api.example.com/#a',
		'https://api.example.com/#',
		'https://api.example.com#',
		'https://api.example.com/?',
		'https://api.example.com?',
		'https://api.example.com/api/v2?',
		' https://api.example.com/api/v2/# ',
		'https://api.example.com/#//',
		'http://127.0.0.1:1/#',
	])('is refused before any request: %j', async (baseUrl) => {
		const failure = failureOf(await run({ credential: { baseUrl } }));

		expect(failure.message).toMatch(/^The credential's 'Base URL' (is not|must begin|may contain)/);
		expect(failure.description).toMatch(/credential/);
		expect(failure.status).toBe('error');
	});

	it.each(['', '  '])('is said to be empty: %j', async (baseUrl) => {
		const { message } = failureOf(await run({ credential: { baseUrl } }));

		expect(message).toMatch(/^The credential's 'Base URL' is empty\. Nothing was charged/);
	});

	it.each(['https://api.example.com@127.0.0.1', 'https://@127.0.0.1', 'https://127.0.0.1\\x'])(
		'with more than host and path is called so: %j',
		async (baseUrl) => {
			const { message } = failureOf(await run({ credential: { baseUrl } }));

			expect(message).toMatch(/^The credential's 'Base URL' may contain only a host and a path/);
		},
	);

	it('fails each item with Continue, instead of handing the input on as success', async () => {
		const { outputs } = await run({
			items: [{ json: { a: 1 } }, { json: { a: 2 } }],
			credential: { baseUrl: 'http://api.example.com' },
			settings: CONTINUE,
		});

		expect(outputs[0]?.map(({ json }) => json)).toEqual([
			{ error: expect.stringContaining('https') },
			{ error: expect.stringContaining('https') },
		]);
	});
});
