import { fixture } from '../kit/data/fixtures';
import { actionRunner, failureOf, jsonOf } from '../kit/engine/action';
import { listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';

// The trigger reads a body in the same way: test/trigger/contentTypes.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const result = JSON.stringify(fixture('scan-accept', { customData: 'Jürgen Müßig' }));

async function scanOf(body: Buffer, contentType?: string, status = 200) {
	const headers = contentType === undefined ? {} : { 'Content-Type': contentType };
	const { url: baseUrl } = await listenToEnd((_, response) =>
		response.writeHead(status, headers).end(body),
	);
	return await run({ credential: { baseUrl } });
}

it.each<[contentType: string | undefined, encoding: BufferEncoding]>([
	[undefined, 'utf8'],
	['application/json', 'utf8'],
	['application/json; charset=ISO-8859-1', 'latin1'],
	['application/json;CHARSET = "windows-1252"; x=y', 'latin1'],
	['text/plain; charset=utf-16le', 'utf16le'],
	['application/json; charset=of-tomorrow', 'utf8'],
	['application/json; x-charset=ISO-8859-1', 'utf8'],
	['application/json; charset=us-ascii', 'utf8'],
	['application/json; charset=utf-16', 'utf8'],
])('an answer of the type %s is read as %s', async (contentType, encoding) => {
	const scan = await scanOf(Buffer.from(result, encoding), contentType);

	expect(jsonOf(scan)).toMatchObject([{ customData: 'Jürgen Müßig' }]);
});

it('a byte order mark is no part of an answer', async () => {
	const scan = await scanOf(Buffer.from(`\ufeff${result}`));

	expect(jsonOf(scan)).toMatchObject([{ decision: 'accept' }]);
});

it.each([undefined, 'application/json; charset=utf-8'])(
	'an answer of the type %s with bytes that are no text goes to Review, without the ID they are in',
	async (contentType) => {
		const scan = await scanOf(Buffer.from(result, 'latin1'), contentType);

		const item = { unrecognizedDecision: true, unreadable: ['customData', '*'] };
		expect(jsonOf(scan)).toMatchObject([item]);
		expect(jsonOf(scan)[0]).not.toHaveProperty('customData');
	},
);

it('the message of a refusal is read in its charset, too', async () => {
	const body = Buffer.from('{"message": "Ungültiges Profil"}', 'latin1');
	const scan = await scanOf(body, 'application/json; charset=iso-8859-1', 400);

	expect(failureOf(scan).message).toContain('status 400: Ungültiges Profil. Nothing');
});
