import type { ServerResponse } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import { listen } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItems, failureOf, jsonOf } from '../kit/engine/action';
import { profileIds } from '../kit/data/profileIds';
import { CONTINUE } from '../kit/settings';

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

/** Which of the images were received, in the order of their arrival. */
const arrivals = async (images: Buffer[]) => {
	const digests = images.map(sha256);
	return (await sandbox.documents()).map((digest) => digests.indexOf(digest));
};

describe('order', () => {
	it('is that of the input, also when the first answer comes last', async () => {
		const { items, images } = documentItems(4);
		await sandbox.setProfile('slow', { scenario: 'textForgery' });
		await sandbox.hold(images[0]);

		const running = await start({
			items: items.map((item, index) => ({
				...item,
				json: { profile: index === 0 ? 'slow' : 'sandbox-accept' },
			})),
			parameters: { profile: '={{ $json.profile }}' },
		});
		await sandbox.untilAnswered(200, 3);
		await sandbox.release();
		const result = await running.result;

		expect(profileIds(jsonOf(result))).toEqual([
			'slow',
			'sandbox-accept',
			'sandbox-accept',
			'sandbox-accept',
		]);
		expect(result.outputs[0]?.map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
			{ item: 3 },
		]);
	});
});

describe('parallel requests', () => {
	/** Answers when so many requests have arrived, and any other that was sent with them. */
	async function serviceThatHolds(count: number) {
		let [arrived, most] = [0, 0];
		const open: ServerResponse[] = [];
		const { url } = await listen((request, response) => {
			if (request.method === 'HEAD') return void response.end();
			most = Math.max(most, open.push(response));
			request.resume().on('end', () => {
				if (++arrived >= count) void answerAll();
			});
		});
		const answerAll = async () => {
			// What the node has sent by now arrives before this.
			await fetch(url, { method: 'HEAD' });
			open.splice(0).forEach((each) => each.end('{"decision":"accept"}'));
		};
		return { url, most: () => most };
	}

	it.each([
		['four at first unless set', {}, 4],
		['no more than set', { options: { maxParallelRequests: 2 } }, 2],
	])('are %s', async (_, parameters: INodeParameters, limit) => {
		const { url: baseUrl, most } = await serviceThatHolds(limit);

		const { items } = documentItems(limit + 1);
		expect(jsonOf(await run({ items, parameters, credential: { baseUrl } }))).toHaveLength(
			limit + 1,
		);

		expect(most()).toBe(limit);
	});
});

describe('a failed item', () => {
	it.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'lets the others go on with %s',
		async (onError) => {
			const { items, images } = documentItems(3);
			await sandbox.faultOn(images[1], { kind: 'serverError' });

			const { outputs, status } = await run({ items, settings: { onError } });

			const failed = expect.objectContaining({
				json: { error: expect.stringContaining('status 500') },
				pairedItem: expect.objectContaining({ item: 1 }),
			});
			const passed = (item: number) =>
				expect.objectContaining({
					json: expect.objectContaining({ decision: 'accept' }),
					pairedItem: expect.objectContaining({ item }),
				});
			expect(status).toBe('success');
			expect(outputs).toEqual(
				onError === 'continueRegularOutput'
					? [[passed(0), failed, passed(2)]]
					: [[passed(0), passed(2)], [failed]],
			);
		},
	);

	it('is an error object of n8n that names the item', async () => {
		await sandbox.fault({ on: 'scan', kind: 'serverError' });

		const { outputs } = await run({ settings: CONTINUE });

		expect(outputs[0]?.[0]?.error).toMatchObject({
			name: 'NodeApiError',
			httpCode: '500',
			context: { itemIndex: 0 },
		});
	});

	it('stops the node: nothing new is sent, running requests finish, the error names it', async () => {
		const { items, images } = documentItems(10);
		await sandbox.hold(images[2]);
		await sandbox.faultOn(images[3], { kind: 'serverError' });

		const running = await start({ items, parameters: { options: { maxParallelRequests: 2 } } });
		await sandbox.untilAnswered(500);
		await sandbox.release();
		const result = await running.result;

		expect(failureOf(result)).toMatchObject({
			status: 'error',
			message: expect.stringMatching(/status 500.*\[item 3\]/),
			itemIndex: 3,
		});
		// Two requests that are sent together can arrive in any order.
		expect((await arrivals(images)).sort()).toEqual([0, 1, 2, 3]);
		expect((await sandbox.statuses()).sort()).toEqual([200, 200, 200, 500]);
		expect(await sandbox.billed()).toBe(3);
	});
});

it('says in the output panel how fast it went, and how often the service asked to slow down', async () => {
	await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 0, skip: 1 });

	const { hints } = await run({
		...documentItems(2),
		parameters: { options: { maxParallelRequests: 1 } },
	});

	expect(hints).toMatchObject([
		{
			type: 'info',
			message: expect.stringMatching(
				/^2 requests in \d+\.\d s, up to 1 at a time; the service asked once to slow down\.$/,
			),
		},
	]);
});

describe('bad input', () => {
	const base64 = (documentBase64: string) => ({
		documentSource: 'base64',
		documentBase64: `={{ ${JSON.stringify(documentBase64)} }}`,
	});
	const additional = (fields: string) => ({ options: { additionalRequestFields: fields } });
	const face = { faceSource: 'binary' };

	it.each<[string, INodeParameters, RegExp]>([
		[
			'a field without an image',
			{ documentBinaryField: 'photo' },
			/is set to "photo"\. The item has/,
		],
		['a face field without an image', face, /face/],
		['empty base64', base64(''), /document image is empty/],
		['a data URI without content', base64('data:image/png;base64,'), /document image is empty/],
		['text that is no base64', base64('no base64!'), /contains a space, which base64 text/],
		['a word that is valid base64', base64('passport'), /too short to be an image/],
		['an empty profile', { profile: '={{ "" }}' }, /'Profile' is empty/],
		['a blank profile', { profile: '={{ "  " }}' }, /'Profile' is empty/],
		['a list as additional fields', additional('[]'), /not a JSON object/],
		['text as additional fields', additional('"text"'), /not a JSON object/],
		['null as additional fields', additional('null'), /not a JSON object/],
		['broken JSON as additional fields', additional('{"a":'), /not a JSON object/],
		[
			'too deep additional fields',
			additional(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`),
			/is nested too deeply/,
		],
		['the profile as additional field', additional('{"profile":"x"}'), /cannot set 'profile'/],
		['the document as additional field', additional('{"document":"x"}'), /cannot set 'document'/],
		['the face as additional field', additional('{"face":null}'), /cannot set 'face'/],
	])('is refused before any request: %s', async (_, parameters, message) => {
		const result = await run({ parameters });

		expect(failureOf(result)).toMatchObject({
			status: 'error',
			message: expect.stringMatching(message),
			itemIndex: 0,
		});
		expect(await sandbox.requests()).toEqual([]);
	});
});

it.each<[string, INodeParameters]>([
	['Timeout (Seconds)', { timeout: 0 }],
	['Max Rate Limit Wait (Minutes)', { maxRateLimitWait: -1 }],
])(
	'an option that all items share, and that is not valid, blames no item: %s',
	async (name, options) => {
		const { items } = documentItems(2);

		const stopped = await run({ items, parameters: { options } });
		const continued = await run({ items, parameters: { options }, settings: CONTINUE });

		const message = `'${name}' is not a number above 0. Nothing was charged (charge: none)`;
		expect(failureOf(stopped)).toMatchObject({ message, itemIndex: undefined });
		expect(failureOf(stopped).description).toBe(`Correct '${name}' in the options.`);
		expect(jsonOf(continued)).toEqual([{ error: message }, { error: message }]);
		expect(await sandbox.requests()).toEqual([]);
	},
);
