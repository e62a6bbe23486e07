import { BinaryDataService } from 'n8n-core';
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { fixture } from '../kit/data/fixtures';
import { listenJson } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem, failureOf, jsonOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { Container } from '../kit/engine/container';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const createLink = async (parameters: INodeParameters = {}, options: ActionOptions = {}) =>
	await run({
		items: [{}],
		...options,
		parameters: { operation: 'createHostedLink', profile: 'sandbox-onboarding', ...parameters },
	});

/** A service that answers every request with this link. */
const serviceWithLink = async (link: object) => {
	const server = await listenJson(() => ({ body: link }));
	return { credential: { baseUrl: server.url } };
};

describe('a link', () => {
	it('comes as reference, URL and QR code', async () => {
		const result = await createLink({ customData: 'applicant-7' });

		expect(jsonOf(result)).toEqual([
			{
				reference: expect.any(String),
				url: expect.stringContaining(`${sandbox.url}/h/`),
				customData: 'applicant-7',
				qrCode: expect.stringMatching(/^data:image\/png;base64,/),
			},
		]);
		expect(result.outputs[0]?.[0]?.files).toEqual({});
	});

	it.each([
		[
			'',
			[
				"A link has no Custom Data, so its result says only by the link's reference whose it is. Enter your own ID for the end user.",
			],
		],
		['applicant-7', []],
	])('has a hint if nobody would know whose it is: %j', async (customData, hints) => {
		const result = await createLink({ customData });

		expect(jsonOf(result)).toMatchObject([{ customData }]);
		expect(result.hints.map(({ message }) => message)).toEqual(hints);
	});

	it('belongs to the item that it was created for', async () => {
		const items = [{ json: { id: 'applicant-7' } }, { json: { id: 'applicant-8' } }];
		const result = await createLink({ customData: '={{ $json.id }}' }, { items });

		const [links] = result.outputs;
		expect(links?.map(({ json, pairedItem }) => [json.customData, pairedItem])).toEqual([
			['applicant-7', { item: 0 }],
			['applicant-8', { item: 1 }],
		]);
	});

	it('is asked for with exactly version 3, customData, mode and profile', async () => {
		await createLink({ customData: 'applicant-7' });

		const [request] = await sandbox.requests();
		expect(request).toMatchObject({
			method: 'POST',
			path: '/hosted',
			hasApiKey: true,
			status: 200,
		});
		expect(request?.fields).toEqual({
			version: 3,
			customData: 'applicant-7',
			mode: 0,
			profile: 'sandbox-onboarding',
		});
	});

	it.each([
		['={{ 42 }}', '42'],
		['={{ 0 }}', '0'],
		['={{ false }}', 'false'],
		['={{ JSON.stringify({ a: 1 }) }}', '{"a":1}'],
		['={{ 9007199254740991 }}', '9007199254740991'],
		['= {{ 42 }}\n', '42'],
		[' 42\t', '42'],
		['=C-{{ 42 }}', 'C-42'],
		['=null-{{ 42 }}', 'null-42'],
		["={{ 'dev-null' }}", 'dev-null'],
		["={{ 'C-' + null }}", 'C-null'],
		["={{ 'C-None' }}", 'C-None'],
		["=C-{{ 'null' }}", 'C-null'],
		['={{ JSON.stringify([{ id: null }]) }}', '[{"id":null}]'],
		["={{ '#4711/A' }}", '#4711/A'],
		['#A1!', '#A1!'],
		['={{ 42n }}', '42'],
		["={{ '1e21' }}", '1e21'],
		["={{ '8202522731445525542' }}", '8202522731445525542'],
		[
			'={{ JSON.stringify({ id: "8202522731445525542", a: 1.5 }) }}',
			'{"id":"8202522731445525542","a":1.5}',
		],
		['={{ $json.braces }}', '{{ $json.id }}'],
		['=客户-{{ "٤٢" }}', '客户-٤٢'],
		['={{ "a b\u00a0c" }}', 'a b\u00a0c'],
		["={{ 'a\\}}b' }}", 'a}}b'],
		["={{ 'nullable, annulled' }}", 'nullable, annulled'],
		["={{ 'Infinity-12' }}", 'Infinity-12'],
		["={{ 42 }}-{{ $json.missing ?? 'none' }}", '42-none'],
		["={{ 'V1StGXR8-B-NaNx' }}", 'V1StGXR8-B-NaNx'],
		["={{ 'jeff.null@example.com' }}", 'jeff.null@example.com'],
		['={{ JSON.stringify({ id: 5, branch: null }) }}', '{"id":5,"branch":null}'],
		["={{ 'Zoë' + ($json.missing ?? '') }}", 'Zoë'],
		['=fixed', 'fixed'],
		['', ''],
		['  ', ''],
		['=', ''],
		['= ', ''],
	])('takes custom data as text: %s', async (customData, text) => {
		await createLink({ customData }, { items: [{ json: { braces: '{{ $json.id }}' } }] });

		expect((await sandbox.requests())[0]?.customData).toBe(text);
	});

	const inText = 'contains "[object Object]" instead of a value';

	it.each<[string, INodeParameters]>([
		["'Custom Data' is an object, not text", { customData: '={{ $json }}' }],
		["'Custom Data' is an object, not text", { customData: '={{ $now }}' }],
		["'Custom Data' is an object, not text", { customData: '={{ new Date() }}' }],
		["An expression in 'Custom Data' is an object, not text", { customData: '=C-{{ $now }}' }],
		["An expression in 'Custom Data' is a list, not text", { customData: '=C-{{ [1, 2] }}' }],
		["'Custom Data' is a list, not text", { customData: '={{ [1, 2] }}' }],
		[`'Custom Data' ${inText}`, { customData: '=of {{ $json.person }}' }],
		[`'Custom Data' ${inText}`, { customData: "={{ '' + $json.person }}" }],
		["'Profile' is an object, not text", { profile: '={{ $json }}' }],
		["'Profile' is a list, not text", { profile: "={{ ['sandbox-accept'] }}" }],
		[`'Profile' ${inText}`, { profile: '={{ $json.person + $json.person }}' }],
		["'Contract Template ID' is a list, not text", { mode: 3, contractSign: "={{ ['tpl'] }}" }],
		[`'Contract Template ID' ${inText}`, { mode: 3, contractSign: '={{ [$json.person].join() }}' }],
	])('is not paid when %s: %j', async (problem, parameters) => {
		const items = [{ json: { person: { name: 'ALEX' } } }];

		const result = await createLink(parameters, { items });

		const { message, description } = failureOf(result);
		expect(message).toBe(`${problem}. Nothing was charged (charge: none) [item 0]`);
		expect(description).toMatch(/\$now\.toISODate|Correct the expression of/);
		expect(await sandbox.requests()).toEqual([]);
	});

	it.each<[string, INodeParameters]>([
		["'Custom Data' is too large", { customData: '={{ $json.id }}' }],
		["'Custom Data' is too large", { customData: '={{ -1e21 }}' }],
		["'Custom Data' is too large", { customData: '={{ 2 ** 53 }}' }],
		["An expression in 'Custom Data' is too large", { customData: '=C-{{ $json.id }}' }],
		["'Profile' is too large", { profile: '={{ $json.id }}' }],
		["'Contract Template ID' is too large", { mode: 3, contractSign: '={{ $json.id }}' }],
	])('is not paid when %s to be exact as a number: %j', async (problem, parameters) => {
		const items = [JSON.parse('{"json":{"id":8202522731445525542}}') as INodeExecutionData];

		const { message, description } = failureOf(await createLink(parameters, { items }));

		expect(message).toBe(
			`${problem} to be exact as a number. Nothing was charged (charge: none) [item 0]`,
		);
		expect(description).toMatch(/^Send it as text: /);
		expect(await sandbox.requests()).toEqual([]);
	});

	it.each(['NaN', 'Infinity', '12.5'])(
		'is not paid when Custom Data is the number %s',
		async (value) => {
			const { message } = failureOf(await createLink({ customData: `={{ ${value} }}` }));

			expect(message).toBe(
				"'Custom Data' is not a whole number. Nothing was charged (charge: none) [item 0]",
			);
			expect(await sandbox.requests()).toEqual([]);
		},
	);

	it.each<[string, INodeParameters]>([
		['Custom Data', { customData: '{{ $json.id }}' }],
		['Custom Data', { customData: ' C-{{ $json.id }}' }],
		['Profile', { profile: '{{ $json.profile }}' }],
		['Contract Template ID', { mode: 3, contractSign: '{{ $json.id }}' }],
		[
			'Additional Request Fields',
			{ options: { additionalRequestFields: '{"a":"{{ $json.id }}"}' } },
		],
	])('is not paid when %s has an expression, but is none: %j', async (field, parameters) => {
		const { message, description } = failureOf(await createLink(parameters));

		expect(message).toBe(
			`'${field}' contains {{, but is not an expression. Nothing was charged (charge: none) [item 0]`,
		);
		expect(description).toContain(`Switch '${field}' from Fixed to Expression.`);
		expect(await sandbox.requests()).toEqual([]);
	});

	const MISSING = 'is what a missing value is written as';
	const LONGEST = 'C'.repeat(1_000);

	it('takes 1,000 characters of custom data', async () => {
		await createLink({ customData: ` ${LONGEST} ` });

		expect((await sandbox.requests())[0]?.customData).toBe(LONGEST);
	});

	it.each([
		[`${LONGEST}C`, 'has 1,001 characters, more than 1,000'],
		['null', MISSING],
		['None', MISSING],
		['NIL', MISSING],
		['nan', MISSING],
		['N/A', MISSING],
		['#N/A', MISSING],
		['#DIV/0!', MISSING],
		['C-undefined', 'contains "undefined" instead of a value'],
		['4711\nDecision: accept', 'contains a line break'],
		['4711\u2028Decision: accept', 'contains a line break'],
		['4711\u0085Decision: accept', 'contains a line break'],
		['47\t11', 'contains the character U+0009'],
		['47\u000011', 'contains the character U+0000'],
		['4711\u202etpecca', 'contains the character U+202E'],
		['47\u200b11', 'contains the character U+200B'],
		['47\u316411', 'contains the character U+3164'],
		['47\u280011', 'contains the character U+2800'],
		['M\ufffdller-1', 'contains the character U+FFFD'],
		['47\u{e0041}11', 'contains the character U+E0041'],
	])('is not paid when Custom Data is %j', async (value, problem) => {
		const items = [{ json: { value } }];
		for (const customData of [value, '={{ $json.value }}']) {
			const { message, description } = failureOf(await createLink({ customData }, { items }));

			expect(message).toBe(`'Custom Data' ${problem}. Nothing was charged (charge: none) [item 0]`);
			expect(`${message}${description}`).not.toContain(value);
		}
		expect(await sandbox.requests()).toEqual([]);
	});

	it.each([
		'={{ null }}',
		'={{ undefined }}',
		'={{ "" }}',
		'={{ " " }}',
		'={{ $json.missing }}',
		'={{ $json.customer.id }}',
		'={{ $json.customer?.id }}',
		'=C-{{ $json.missing }}',
		'= {{ $json.missing }} / {{ null }} ',
		'={{ 42 }}-{{ $json.missing }}',
		"={{ [$json.missing, $json.missing].join('-') }}",
		"=C{{ '-' }}7",
		'={{ JSON.stringify({ id: $json.missing }) }}',
	])('is not paid when an expression in Custom Data gives no value: %s', async (customData) => {
		const { message, description } = failureOf(await createLink({ customData }));

		expect(message).toBe(
			"An expression in 'Custom Data' gives neither a letter nor a digit. Nothing was charged (charge: none) [item 0]",
		);
		expect(description).toMatch(/Correct the expression /);
		expect(await sandbox.requests()).toEqual([]);
	});

	it.each([
		['-', 'contains neither a letter nor a digit'],
		['={{', 'contains neither a letter nor a digit'],
		["={{ 'C-' + $json.missing }}", 'contains "undefined" instead of a value'],
		["={{ 42 }}/{{ 'C-' + $json.missing }}", 'contains "undefined" instead of a value'],
		["={{ 'NULL' }}", MISSING],
		["=#{{ 'REF!' }}", MISSING],
	])('is not paid when Custom Data has no value as a whole: %s', async (customData, problem) => {
		const { message } = failureOf(await createLink({ customData }));

		expect(message).toBe(`'Custom Data' ${problem}. Nothing was charged (charge: none) [item 0]`);
		expect(await sandbox.requests()).toEqual([]);
	});

	it('is not paid when Custom Data ends like an address, which the trigger would take for one', async () => {
		const customData = `applicant-7.w1.${'A'.repeat(40)}`;

		const { message } = failureOf(await createLink({ customData }));

		expect(message).toMatch(/^'Custom Data' ends like the address of a waiting execution/);
		expect(await sandbox.requests()).toEqual([]);
	});

	it('carries the additional fields', async () => {
		await createLink({ options: { additionalRequestFields: '{"language":"de"}' } });

		expect((await sandbox.requests())[0]?.fields).toMatchObject({ language: 'de', version: 3 });
	});
});

describe('mode', () => {
	const face = picture();

	/** Where Mode is an expression, n8n asks for the fields of every mode. */
	const everyField = { referenceFaceBase64: 'unused', contractSign: 'unused' };

	it.each<[number, number, INodeParameters]>([
		[0, 2, {}],
		[1, 1, {}],
		[2, 1, { referenceFaceBinaryField: 'face' }],
		[3, 1, { contractSign: 'template-9' }],
	])('%d costs %d credits', async (mode, credits, parameters) => {
		const result = await createLink(
			{ mode, ...parameters },
			{ items: [{ files: { face: { content: face } } }] },
		);

		const [request] = await sandbox.requests();
		expect(result.error).toBeUndefined();
		expect(request?.fields).toMatchObject({ mode });
		expect(await sandbox.billed()).toBe(credits);
		expect(request?.images.referenceFace?.sha256).toBe(mode === 2 ? sha256(face) : undefined);
		expect(request?.fields.contractSign).toBe(mode === 3 ? 'template-9' : undefined);
	});

	it('2 sends the reference face from base64', async () => {
		const dataUri = `data:image/jpeg;base64,${face.toString('base64')}`;

		await createLink({
			mode: 2,
			referenceFaceSource: 'base64',
			referenceFaceBase64: dataUri,
		});

		expect((await sandbox.requests())[0]?.images.referenceFace?.sha256).toBe(sha256(face));
	});

	it.each<[string, INodeParameters, RegExp]>([
		['2 without a face', { mode: 2 }, /face/],
		[
			'3 without a template',
			{ mode: 3, contractSign: '={{ "" }}' },
			/'Contract Template ID' is empty/,
		],
		[
			'one that does not exist',
			{ mode: '={{ 7 }}', ...everyField },
			/'Mode' is not one of 0, 1, 2, 3/,
		],
		['none', { mode: '={{ undefined }}', ...everyField }, /'Mode' is not one of/],
		['0 without a profile', { profile: '={{ "" }}' }, /'Profile' is empty/],
		[
			'that additional fields set',
			{ options: { additionalRequestFields: '{"mode":1}' } },
			/cannot set 'mode'/,
		],
		[
			'with a face as additional field',
			{ options: { additionalRequestFields: '{"referenceFace":"x"}' } },
			/can/,
		],
	])('%s is refused before any request', async (_, parameters, message) => {
		const result = await createLink(parameters, { items: [documentItem()] });

		expect(failureOf(result)).toMatchObject({
			status: 'error',
			message: expect.stringMatching(message),
			itemIndex: 0,
		});
		expect(await sandbox.requests()).toEqual([]);
	});
});

describe('QR code as binary data', () => {
	const png = /^data:image\/png;base64,(.*)$/;
	const asBinary = { customData: 'applicant-7', options: { qrCodeBinaryField: 'qr' } };
	const link = fixture('hosted-link');
	const [, base64 = ''] = png.exec(String(link.qrCode)) ?? [];

	it('is the image of the data URI', async () => {
		const result = await createLink(asBinary);

		const [item] = result.outputs[0] ?? [];
		const [, content = ''] = png.exec(String(item?.json.qrCode)) ?? [];
		expect(item?.files.qr).toEqual({
			content: Buffer.from(content, 'base64'),
			fileName: 'qr-code.png',
			mimeType: 'image/png',
		});
	});

	const jpeg = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
	const gif = Buffer.from('GIF89a......');
	const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="100%"/>';
	const inBase64 = (content: Buffer) => content.toString('base64');

	it.each<[string, string, string, Buffer]>([
		['base64 of a PNG', base64, 'png', Buffer.from(base64, 'base64')],
		['base64 of a JPEG', inBase64(jpeg), 'jpeg', jpeg],
		['base64 in lines', `\n${inBase64(jpeg).replace(/.{4}/g, '$&\r\n')}`, 'jpeg', jpeg],
		['a data URI', `data:image/jpeg;base64,${inBase64(jpeg)}`, 'jpeg', jpeg],
		[
			'a data URI with parameters',
			`data:image/jpeg;charset=utf-8;base64,${inBase64(jpeg)}`,
			...(['jpeg', jpeg] as const),
		],
		['a data URI in capitals', `DATA:IMAGE/JPEG;BASE64,${inBase64(jpeg)}`, 'jpeg', jpeg],
	])('is the image of %s', async (_, qrCode, format, content) => {
		const service = await serviceWithLink({ ...link, qrCode });

		const result = await createLink(asBinary, service);

		expect(result.outputs[0]?.[0]?.files.qr).toEqual({
			content,
			fileName: `qr-code.${format}`,
			mimeType: `image/${format}`,
		});
		expect(jsonOf(result)).toMatchObject([{ qrCode }]);
		expect(result.hints).toEqual([]);
	});

	it('is left out with a hint when n8n cannot store it: the link is paid', async () => {
		const store = jest.spyOn(Container.get(BinaryDataService), 'store');
		store.mockRejectedValue(new Error('No space left'));

		const result = await createLink(asBinary, await serviceWithLink(link));
		store.mockRestore();

		expect(jsonOf(result)).toMatchObject([{ url: link.url }]);
		expect(result.hints).toHaveLength(1);
	});

	it.each([
		['a web address', 'https://hosted.example.com/qr'],
		['nothing', null],
		['an empty data URI', 'data:image/png;base64,'],
		['another data URI', 'data:text/html;base64,PGI+'],
		['text', 'data: no picture, sorry'],
		['base64 of something else', 'aGVsbG8gd29ybGQ='],
		['base64 of a GIF', inBase64(gif)],
		['a GIF as a data URI', `data:image/gif;base64,${inBase64(gif)}`],
		['an SVG', `data:image/svg+xml;base64,${inBase64(Buffer.from(svg))}`],
		['an SVG as text', `data:image/svg+xml;utf8,${encodeURIComponent(svg)}`],
		['a percent-encoded data URI', `data:image/png;base64,${encodeURIComponent(base64)}`],
	])('is left out with a hint when the service sends %s', async (_, qrCode) => {
		const result = await createLink(asBinary, await serviceWithLink({ ...link, qrCode }));

		expect(result.error).toBeUndefined();
		expect(jsonOf(result)).toEqual([{ ...link, customData: 'applicant-7', qrCode }]);
		expect(result.outputs[0]?.[0]?.files).toEqual({});
		expect(result.hints).toEqual([
			expect.objectContaining({ message: expect.stringContaining('QR code') }),
		]);
	});
});
