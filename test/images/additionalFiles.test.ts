import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../kit/engine';
import { picture } from '../kit/data/picture';
import {
	actionRunner,
	agentTool,
	sandboxCredential,
	failureOf,
	jsonOf,
} from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import type { NodeRun } from '../kit/engine';
import { readDocument } from '../kit/markdown';
import { sha256, useSandbox } from '../kit/service/sandbox';

// Files for request fields that the interface doesn't have, such as the back of a document.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const LINK = { operation: 'createHostedLink', mode: 0 };

type Entry = Record<'requestField' | 'binaryField', string>;

/** Options with these as Additional Files. */
const withFiles = (files: Entry[], options: INodeParameters = {}): INodeParameters => ({
	...options,
	additionalFiles: { files },
});

const backOf = (binaryField = 'back'): Entry => ({ requestField: 'documentBack', binaryField });

const itemWith = (files: Record<string, Buffer>) => ({
	files: Object.fromEntries(
		Object.entries(files).map(([name, content]) => [name, { content, fileName: `${name}.jpg` }]),
	),
});

const front = picture(1_001);
const back = picture(70_000);

/** The digests of these fields in each request. */
const digestsOf = async (...names: string[]) =>
	(await sandbox.requests()).map(({ fields }) =>
		names.map((name) => sha256(Buffer.from(String(fields[name]), 'base64'))),
	);

/** What the failure says, when nothing was sent. */
async function refusalOf(result: NodeRun) {
	const failure = failureOf(result);
	expect(failure).toMatchObject({ status: 'error', itemIndex: 0 });
	expect(failure.message).toMatch(
		/ Nothing was charged (for "back\.jpg" )?\(charge: none\) \[item 0\]$/,
	);
	expect(await sandbox.requests()).toEqual([]);
	return failure;
}

describe.each(['default', 'filesystem', 's3'] as const)('in binary mode %s', (binaryMode) => {
	it('the back of a document arrives byte for byte, beside its front', async () => {
		const options = withFiles([backOf(), { requestField: 'page 2', binaryField: '={{ "two" }}' }]);
		const items = [itemWith({ data: front, back, two: front })];

		const result = await run({ binaryMode, items, parameters: { options } });

		expect(result.error).toBeUndefined();
		expect(await sandbox.documents()).toEqual([sha256(front)]);
		expect(await digestsOf('documentBack', 'page 2')).toEqual([[sha256(back), sha256(front)]]);
		expect(Object.keys((await sandbox.requests())[0]?.fields ?? {}).sort()).toEqual([
			'documentBack',
			'page 2',
			'profile',
		]);
	});

	it('a link takes one in every mode, beside its own fields and additional ones', async () => {
		const additional = { additionalRequestFields: '{"version": 2, "note": "ü"}' };
		const options = withFiles([backOf('photo')], additional);

		const result = await run({
			binaryMode,
			items: [itemWith({ photo: back })],
			parameters: { ...LINK, customData: 'applicant-7', options },
		});

		expect(result.error).toBeUndefined();
		expect(await digestsOf('documentBack')).toEqual([[sha256(back)]]);
		expect((await sandbox.requests())[0]?.fields).toMatchObject({
			version: 2,
			note: 'ü',
			customData: 'applicant-7',
			mode: 0,
		});
	});

	it('it may be a file of an earlier node, named by an expression', async () => {
		const options = withFiles([backOf("={{ $('Start').item.binary.other }}")]);

		await run({
			binaryMode,
			items: [itemWith({ data: front, other: back })],
			parameters: { options },
		});

		expect(await digestsOf('documentBack')).toEqual([[sha256(back)]]);
	});

	it('a Retry pays nothing again for the same file, and again for another one', async () => {
		const items = [1, 2].map(() => itemWith({ data: picture(), one: picture(), two: picture() }));
		const options = withFiles([backOf('={{ $vars.back }}')], { maxParallelRequests: 1 });
		const parameters = { options };
		await sandbox.fault({ on: 'scan', kind: 'status', status: 402, skip: 1 });
		const setup = { binaryMode, parameters, variables: { back: 'one' } };

		const failed = await run({ ...setup, items });
		await sandbox.fault({ on: 'scan', kind: 'status', status: 402 });
		const again = await run({ ...setup, retryOf: failed });
		const sentSoFar = await sandbox.statuses();
		await run({ ...setup, retryOf: again, variables: { back: 'two' } });

		expect(sentSoFar).toEqual([200, 402, 402]);
		expect(await sandbox.statuses()).toEqual([200, 402, 402, 200, 200]);
	});
});

it('sends what the example in docs/reference.md says', async () => {
	const { blocks } = readDocument('docs/reference.md');
	const example = blocks.find(({ content }) => content.includes('documentBack'))?.content ?? '';

	await run({
		items: [itemWith({ front, back })],
		parameters: { documentBinaryField: 'front', options: withFiles([backOf()]) },
	});

	const [request] = await sandbox.requests();
	const sent = [...Object.keys(request?.fields ?? {}), ...Object.keys(request?.images ?? {})];
	expect(sent.sort()).toEqual(Object.keys(JSON.parse(example) as object).sort());
	expect(request?.images.document?.sha256).toBe(sha256(front));
	expect(await digestsOf('documentBack')).toEqual([[sha256(back)]]);
});

it('a link is paid for again on Retry with another file', async () => {
	const items = [1, 2].map(() => itemWith({ one: picture(), two: picture() }));
	const options = withFiles([backOf('={{ $vars.back }}')], { maxParallelRequests: 1 });
	const parameters = { ...LINK, options };
	await sandbox.fault({ on: 'hosted', kind: 'status', status: 402, skip: 1 });

	const failed = await run({ items, parameters, variables: { back: 'one' } });
	await run({ retryOf: failed, parameters, variables: { back: 'two' } });

	expect(await sandbox.statuses()).toEqual([200, 402, 200, 200]);
});

describe('a file is checked before anything is sent:', () => {
	const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n'.repeat(20));
	const scan = async (content: Buffer, options: ActionOptions = {}, others: INodeParameters = {}) =>
		await run({
			items: [itemWith({ data: front, back: content })],
			...options,
			parameters: { options: withFiles([backOf()], others) },
		});

	it('what it is', async () => {
		const { message, description } = await refusalOf(await scan(pdf));

		expect(message).toBe(
			`The file for 'documentBack' is a PDF file, not an image. 'Binary Field' of 'Additional Files' is set to "back". The item has these binary fields: data, back. Nothing was charged for "back.jpg" (charge: none) [item 0]`,
		);
		expect(description).toContain("switch on 'Send Other File Types'");
	});

	it('whether it is there', async () => {
		const options = withFiles([backOf()]);

		const { message } = await refusalOf(
			await run({ items: [itemWith({ data: front })], parameters: { options } }),
		);

		expect(message).toBe(
			`The file for 'documentBack' is missing. 'Binary Field' of 'Additional Files' is set to "back". The item has these binary fields: data. Nothing was charged (charge: none) [item 0]`,
		);
	});

	it('whether it is whole', async () => {
		const { message } = await refusalOf(await scan(back.subarray(0, 50_000)));

		expect(message).toMatch(/^The file for 'documentBack' is cut off \(50,000 bytes\)\. /);
	});

	it('Send Other File Types counts for it too', async () => {
		const result = await scan(pdf, {}, { sendOtherFileTypes: true });

		expect(result.error).toBeUndefined();
		expect(await digestsOf('documentBack')).toEqual([[sha256(pdf)]]);
	});
});

// n8n turns each into an empty option before the node sees it.
it.each([{}, { files: [] }, [], 'back', '={{ { files: [] } }}'])(
	'an option without a file is refused: %j',
	async (additionalFiles) => {
		const items = [itemWith({ data: front, back })];

		const { message, description } = await refusalOf(
			await run({ items, parameters: { options: { additionalFiles } as INodeParameters } }),
		);

		expect(message).toContain("'Additional Files' has no file");
		expect(description).toContain('or remove it from the options. It cannot be an expression.');
	},
);

describe('a request field is refused', () => {
	const other: INodeParameters = { additionalRequestFields: '{"documentBack": "text"}' };

	it.each<[string, INodeParameters, string]>([
		['that is empty', withFiles([{ requestField: '', binaryField: 'back' }]), 'has a file without'],
		[
			'that is blank',
			withFiles([{ requestField: ' ', binaryField: 'back' }]),
			'has a file without',
		],
		[
			"of the operation's own",
			withFiles([{ requestField: ' face ', binaryField: 'back' }]),
			"cannot set 'face'",
		],
		['that is set twice', withFiles([backOf(), backOf('data')]), "sets 'documentBack' twice"],
		[
			'that Additional Request Fields sets',
			withFiles([backOf()], other),
			"sets 'documentBack', and so does 'Additional Request Fields'",
		],
	])('%s', async (_, options, problem) => {
		const items = [itemWith({ data: front, back })];

		const { message, description } = await refusalOf(await run({ items, parameters: { options } }));

		expect(message).toContain(`'Additional Files' ${problem}`);
		expect(description).toContain("Correct 'Additional Files' in the options");
	});

	it('with a request field that is no text', async () => {
		const options = withFiles([{ requestField: "={{ ['documentBack'] }}", binaryField: 'back' }]);

		const { message } = await refusalOf(
			await run({ items: [itemWith({ data: front, back })], parameters: { options } }),
		);

		expect(message).toContain("'Additional Files' has a file without a request field");
	});

	it.each(['customData', 'mode', 'version', 'referenceFace'])('of a link: %s', async (name) => {
		const options = withFiles([{ requestField: name, binaryField: 'back' }]);

		const { message } = await refusalOf(
			await run({ items: [itemWith({ back })], parameters: { ...LINK, options } }),
		);

		expect(message).toContain(`'Additional Files' cannot set '${name}'`);
	});
});

describe("of an agent's tool", () => {
	const callTool = async (binaryField: string, content = back) =>
		await runNode({
			node: agentTool(),
			items: [itemWith({ other: content })],
			credential: sandboxCredential(sandbox),
			parameters: {
				operation: 'scan',
				profile: 'sandbox-accept',
				documentBinaryField: "={{ $('Start').item.binary.other }}",
				options: withFiles([backOf(binaryField)]),
			},
		});

	it('is the file that an expression names', async () => {
		const result = await callTool("={{ $('Start').item.binary.other }}");

		expect(jsonOf(result)).toMatchObject([{ decision: 'accept' }]);
		expect(await digestsOf('documentBack')).toEqual([[sha256(back)]]);
	});

	it('is none that the model names', async () => {
		const { message } = await refusalOf(await callTool('other'));

		expect(message).toMatch(
			/^The file for 'documentBack' is missing: AI agents can't pass files to tools\. Set 'Binary Field' of 'Additional Files' to an expression/,
		);
	});

	it('has a name that the model is not told', async () => {
		const { message } = await refusalOf(
			await callTool("={{ { ...$('Start').item.binary.other, data: 'AAAA' } }}"),
		);

		expect(message).toMatch(/is set to an expression\. Nothing was charged/);
	});
});

describe('Additional Request Fields', () => {
	const items = [itemWith({ data: front, back })];
	const refused = async (additionalRequestFields: string, binaryMode?: 'filesystem') =>
		await refusalOf(
			await run({ binaryMode, items, parameters: { options: { additionalRequestFields } } }),
		);

	it.each([
		['at a field', '={{ { documentBack: $binary.back } }}', 'documentBack'],
		['of another node', "={{ { documentBack: $('Start').item.binary.back } }}", 'documentBack'],
		['in lists and objects', '={{ { pages: [1, { back: $binary.back }] } }}', 'pages[1].back'],
		['among all of them', '={{ { files: $binary } }}', 'files.data'],
		['in JSON text', '={{ JSON.stringify({ documentBack: $binary.back }) }}', 'documentBack'],
		["by its storage's name", '={{ { documentBack: "filesystem-v2" } }}', 'documentBack'],
		["by its storage's ID", '={{ { documentBack: $binary.back.id } }}', 'documentBack'],
		[
			'by what n8n gives in place of its content',
			"={{ { documentBack: $('Start').item.binary.back.data } }}",
			'documentBack',
		],
	])("holds no file record of n8n's %s", async (_, fields, path) => {
		const { message, description } = await refused(fields, 'filesystem');

		expect(message).toContain(
			`'Additional Request Fields' contains n8n's record of a file at '${path}'`,
		);
		expect(description).toContain("Use 'Additional Files'");
	});

	it.each(['={{ { documentBack: $binary.back } }}', '={{ { files: $binary } }}'])(
		'holds no record of a file in memory, whose content n8n leaves out: %s',
		async (fields) => {
			const { message } = await refused(fields);

			expect(message).toContain("contains n8n's record of a file");
		},
	);

	it.each(['Filesystem', 'databases', 'from s3:workflows/1', 'data:image/jpeg;base64,s3'])(
		"holds a text of the user's own: %s",
		async (source) => {
			const additionalRequestFields = `=${JSON.stringify({ source })}`;

			await run({ items, parameters: { options: { additionalRequestFields } } });

			const [request] = await sandbox.requests();
			expect(request?.fields).toMatchObject({ source });
		},
	);

	it.each(['filesystem', 'filesystem-v2', 's3', 'azure', 'database'])(
		"holds no ID of a file in n8n's storage %s",
		async (storage) => {
			const id = `${storage}:workflows/1/executions/2/binary_data/8f14e45f-ceea-467f-a8a2-1b3c4d5e6f70`;

			for (const a of [id, storage]) {
				for (const fields of [JSON.stringify({ a }), `=${JSON.stringify({ a })}`]) {
					expect((await refused(fields)).message).toContain("record of a file at 'a'");
				}
			}
		},
	);

	it.each(['id', 'data', 'fileExtension', 'fileType'])(
		'holds no object with mimeType and %s',
		async (key) => {
			const fields = JSON.stringify({ a: { mimeType: 'image/jpeg', [key]: 'x' } });

			for (const entered of [fields, `=${fields}`]) {
				expect((await refused(entered)).message).toContain("record of a file at 'a'");
			}
		},
	);

	it('is no file record itself', async () => {
		const { message } = await refused('={{ $binary.back }}', 'filesystem');

		expect(message).toContain("contains n8n's record of a file. Nothing was charged");
	});

	it.each([
		['={{ { documentBack: $binary.back.data } }}', 'documentBack'],
		['={{ { documentBack: Object.values($binary)[1].data } }}', 'documentBack'],
		['={{ { note: $json.missing } }}', 'note'],
		['={{ { pages: [1, { note: undefined }] } }}', 'pages[1].note'],
		['={{ { pages: [$json.missing] } }}', 'pages[0]'],
	])('holds nothing that gives undefined: %s', async (fields, path) => {
		const { message, description } = await refused(fields);

		expect(message).toContain(`has no value at '${path}'`);
		expect(description).toContain('To leave a field out, write');
		expect(description).toContain("use 'Additional Files'");
	});

	it.each([
		'={ "documentBack": "{{ $binary.back }}" }',
		'={{ { documentBack: `${$binary.back}` } }}',
		'={{ { documentBack: `The file is ${$binary.back}.` } }}',
	])('holds no object that became a text: %s', async (fields) => {
		const { message } = await refused(fields);

		expect(message).toContain(`contains "[object Object]" instead of a value at 'documentBack'`);
	});

	it.each(['NaN', '1 / 0', '2 ** 53'])('holds no number that is not exact: %s', async (number) => {
		const { message } = await refused(`={{ { a: [${number}] } }}`);

		expect(message).toContain("contains a number that is not exact at 'a[0]'");
	});

	it('holds nothing that is nested more than 100 levels deep', async () => {
		const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

		expect((await refused(nested(101))).message).toContain('is nested too deeply at ');

		const result = await run({
			items,
			parameters: { options: { additionalRequestFields: nested(100) } },
		});
		expect(result.error).toBeUndefined();
	});

	it('leaves out, or sends as null, what is missing, as the error says', async () => {
		const fields =
			'={{ { ...($json.note && { note: $json.note }), other: $json.note ?? null, at: $now } }}';

		await run({ items, parameters: { options: { additionalRequestFields: fields } } });

		const [request] = await sandbox.requests();
		expect(request?.fields).not.toHaveProperty('note');
		expect(request?.fields).toMatchObject({ other: null, at: expect.stringMatching(/^\d{4}-/) });
	});

	it('still takes what is known of a file, and objects that look a little like one', async () => {
		const fields = '={{ { type: $binary.data.mimeType, id: 1, a: { mimeType: "x" } } }}';

		const result = await run({
			items,
			parameters: { options: { additionalRequestFields: fields } },
		});

		expect(result.error).toBeUndefined();
		expect((await sandbox.requests())[0]?.fields).toMatchObject({
			type: 'image/jpeg',
			id: 1,
			a: { mimeType: 'x' },
		});
	});
});
