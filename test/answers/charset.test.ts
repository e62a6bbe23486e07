import { fixture } from '../kit/data/fixtures';
import { actionRunner, jsonOf } from '../kit/engine/action';
import { listenToEnd } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';

// The trigger reads a body in the same way: test/trigger/contentTypes.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const result = JSON.stringify(fixture('scan-accept', { customData: 'Jürgen Müßig' }));

async function scanOf(body: Buffer, contentType?: string) {
	const headers = contentType === undefined ? {} : { 'Content-Type': contentType };
	const { url: baseUrl } = await listenToEnd((_, response) =>
		response.writeHead(200, headers).end(body),
	);
	return await run({ credential: { baseUrl } });
}

it.each([
	undefined,
	'application/json',
	'application/json; charset=ISO-8859-1',
	'application/json; charset=of-tomorrow',
	'application/json; charset=utf-16',
])('an answer in UTF-8 is read, also if its type is %s', async (contentType) => {
	const scan = await scanOf(Buffer.from(result), contentType);

	expect(jsonOf(scan)).toMatchObject([{ customData: 'Jürgen Müßig' }]);
});

it('a byte order mark is no part of an answer', async () => {
	const scan = await scanOf(Buffer.from(`\ufeff${result}`));

	expect(jsonOf(scan)).toMatchObject([{ decision: 'accept' }]);
});

it.each([undefined, 'application/json; charset=iso-8859-1'])(
	'an answer of the type %s with bytes that are no text goes to Review, without the ID they are in',
	async (contentType) => {
		const scan = await scanOf(Buffer.from(result, 'latin1'), contentType);

		const item = { unrecognizedDecision: true, unreadable: ['customData', '*'] };
		expect(jsonOf(scan)).toMatchObject([item]);
		expect(jsonOf(scan)[0]).not.toHaveProperty('customData');
	},
);
