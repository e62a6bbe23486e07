import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItem } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { JSON_TYPE, listenJson, listenToEnd } from '../kit/service/httpServer';
import { CONTINUE } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

/** A service that answers with a body of these members. */
const answering = async (members: string) => {
	const { url } = await listenToEnd((_, response) =>
		response.writeHead(200, JSON_TYPE).end(`{${members}}`),
	);
	return { baseUrl: url };
};

/** Scans an item for each of the profiles, and says what goes to which output. */
async function scan(profiles: string[], { parameters, ...options }: ActionOptions = {}) {
	const items = profiles.map((profile) => ({ ...documentItem(), json: { profile } }));
	return await run({
		items,
		parameters: { branchOnDecision: true, profile: '={{ $json.profile }}', ...parameters },
		...options,
	});
}

const profileOf = {
	accept: 'sandbox-accept',
	review: 'sandbox-low-confidence',
	reject: 'sandbox-aml',
};
const all = [profileOf.reject, profileOf.accept, profileOf.review, profileOf.accept];

describe('a scan goes to the output of its decision', () => {
	it.each(['simplified', 'decisionOnly', 'raw'])('in order on each: %s', async (output) => {
		const { outputs } = await scan(all, { parameters: { output } });

		expect(outputs.map((items) => items.map(({ json }) => json.decision))).toEqual([
			['review'],
			['accept', 'accept'],
			['reject'],
		]);
		expect(outputs.map((items) => items.map(({ pairedItem }) => pairedItem))).toEqual([
			[{ item: 2 }],
			[{ item: 1 }, { item: 3 }],
			[{ item: 0 }],
		]);
	});

	it.each(['Accept', 'approved', '', null, undefined, 1, { accept: true }])(
		'or at Review, marked: %j',
		async (decision) => {
			const { url } = await listenJson(() => ({ body: { success: true, decision, data: {} } }));

			const { outputs } = await scan([profileOf.accept], { credential: { baseUrl: url } });

			expect(outputs.map((items) => items.length)).toEqual([1, 0, 0]);
			expect(outputs[0]?.[0]?.json).toMatchObject({ unrecognizedDecision: true });
		},
	);

	it.each(['simplified', 'raw'])(
		'or at Review again, when a Retry returns an accept that is not trusted: %s',
		async (output) => {
			let asked = 0;
			const accept = { decision: 'accept', error: 'The check failed' };
			const { url: baseUrl } = await listenJson(() =>
				++asked === 2 ? { status: 400, body: {} } : { body: accept },
			);
			const options = {
				parameters: { output, options: { maxParallelRequests: 1 } },
				credential: { baseUrl },
			};

			const failed = await scan([profileOf.accept, profileOf.review], options);
			const { outputs } = await scan([profileOf.accept, profileOf.review], {
				...options,
				retryOf: failed,
			});

			expect(asked).toBe(3);
			expect(outputs.map((each) => each.length)).toEqual([2, 0, 0]);
			expect(outputs[0]?.[0]?.json).toMatchObject({ unrecognizedDecision: true });
		},
	);

	const deep = `${'['.repeat(120)}${']'.repeat(120)}`;

	it.each(
		['simplified', 'decisionOnly', 'raw'].flatMap((output) => [
			[output, 'an error', '"error":"The check failed"'] as const,
			[output, 'an error that is nested too deeply', `"error":${deep}`] as const,
			[output, 'an error that is no number of JSON', '"error":1e400'] as const,
			[output, 'a success that is nested too deeply', `"success":${deep}`] as const,
			[output, 'an error', '"error":"x","unrecognizedDecision":false'] as const,
		]),
	)('or at Review, %s, with %s beside an accept', async (output, _, doubt) => {
		const credential = await answering(`"success":true,"decision":"accept","data":{},${doubt}`);

		const { outputs } = await scan([profileOf.accept], { credential, parameters: { output } });

		expect(outputs.map((items) => items.length)).toEqual([1, 0, 0]);
		expect(outputs[0]?.[0]?.json).toMatchObject({ unrecognizedDecision: true });
	});

	it.each([
		['simplified', { decision: null }],
		['decisionOnly', { decision: null }],
		['raw', {}],
	])('or at Review, as %s, without a decision that n8n cannot store', async (output, item) => {
		for (const decision of [deep, '1e400', '["accept",1e400]']) {
			const credential = await answering(`"success":true,"decision":${decision}`);

			const { outputs } = await scan([profileOf.accept], { credential, parameters: { output } });

			expect(outputs.map((items) => items.length)).toEqual([1, 0, 0]);
			const json = outputs[0]?.[0]?.json ?? {};
			expect(json).toMatchObject({
				...item,
				unrecognizedDecision: true,
				unreadable: ['decision'],
			});
			expect('decision' in json).toBe('decision' in item);
		}
	});
});

describe('what failed', () => {
	beforeEach(async () => {
		await sandbox.fault({ on: 'scan', kind: 'serverError', times: 'always' });
	});

	it('goes to Review when the node is set to continue', async () => {
		const { outputs, status } = await scan(all, { settings: CONTINUE });

		expect(status).toBe('success');
		expect(outputs.map((items) => items.length)).toEqual([4, 0, 0]);
		expect(outputs[0]?.map(({ json }) => json.error)).toEqual(
			all.map(() => expect.stringContaining('status 500')),
		);
	});

	it('goes to the error output, behind those of the decisions', async () => {
		const { outputs } = await scan(all, { settings: { onError: 'continueErrorOutput' } });

		expect(outputs.map((items) => items.length)).toEqual([0, 0, 0, 4]);
	});

	it.each([
		['operation', 'nothing'],
		['operation', '={{ "scan" }}'],
		['operation', '={{ $("Nowhere").first().json.x }}'],
		['branchOnDecision', '={{ true }}'],
		['branchOnDecision', '={{ $json.profile === "" }}'],
		['branchOnDecision', '={{ $("Nowhere").first().json.x }}'],
	])('goes to the first output, and nothing is sent, when %s is %s', async (name, value) => {
		const { outputs, status } = await scan(all, {
			parameters: { [name]: value },
			settings: CONTINUE,
		});

		expect(status).toBe('success');
		expect(outputs[0]?.map(({ json }) => json)).toEqual(
			all.map(() => ({ error: expect.stringMatching(/Nothing was charged[^.]*$/) })),
		);
		expect(outputs.slice(1).flat()).toEqual([]);
		expect(await sandbox.requests()).toEqual([]);
	});
});

describe('one output', () => {
	it('has all results, in order, when branching is turned off', async () => {
		const { outputs } = await scan(all, { parameters: { branchOnDecision: false } });

		expect(outputs.map((items) => items.map(({ json }) => json.decision))).toEqual([
			['reject', 'accept', 'review', 'accept'],
		]);
	});

	it('is that of the operations without a decision', async () => {
		const { outputs, hints } = await run({
			items: [{}],
			parameters: {
				operation: 'createHostedLink',
				mode: 1,
				customData: 'c-1',
				branchOnDecision: true,
			},
		});

		expect(outputs.map((items) => items.length)).toEqual([1]);
		expect(hints).toEqual([]);
	});
});

it('nothing of an empty item reaches Accept with Always Output Data', async () => {
	const { outputs } = await scan([profileOf.reject], { settings: { alwaysOutputData: true } });

	expect(outputs.map((items) => items.map(({ json }) => json))).toEqual([
		[{}],
		[],
		[expect.objectContaining({ decision: 'reject' })],
	]);
});
