import { fixture } from '../kit/data/fixtures';
import { listenJson } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem, failureOf, jsonOf } from '../kit/engine/action';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const imagesOf = async (key: 'document' | 'face') =>
	(await sandbox.requests()).map(({ images }) => images[key]?.sha256);

describe.each(['default', 'filesystem', 's3'] as const)(
	'images in binary mode %s',
	(binaryMode) => {
		it('arrive byte for byte, whatever their length', async () => {
			const lengths = [100, 101, 102, 49_151, 49_152, 49_153, 49_154, 98_305, 200_000];
			const images = lengths.map((length) => picture(length));

			const result = await run({
				binaryMode,
				items: images.map((image) => documentItem(image)),
				parameters: { options: { maxParallelRequests: 1 } },
			});

			expect(result.error).toBeUndefined();
			expect(await imagesOf('document')).toEqual(images.map(sha256));
		});

		it('arrive whole when they have 12 MB, beside a face', async () => {
			const document = picture(12 * 1024 * 1024 + 1);
			const face = picture(3 * 1024 * 1024 + 2);

			const result = await run({
				binaryMode,
				items: [{ files: { data: { content: document }, face: { content: face } } }],
				parameters: { faceSource: 'binary' },
			});

			expect(result.error).toBeUndefined();
			expect(await imagesOf('document')).toEqual([sha256(document)]);
			expect(await imagesOf('face')).toEqual([sha256(face)]);
		});
	},
);

describe('images', () => {
	it('come from the fields that the parameters name', async () => {
		const [front, selfie] = [picture(), picture()];

		await run({
			items: [{ files: { front: { content: front }, selfie: { content: selfie } } }],
			parameters: {
				documentBinaryField: 'front',
				faceSource: 'binary',
				faceBinaryField: '={{ "selfie" }}',
			},
		});

		expect(await imagesOf('document')).toEqual([sha256(front)]);
		expect(await imagesOf('face')).toEqual([sha256(selfie)]);
	});

	it('may be one stored and one in base64', async () => {
		const [document, face] = [picture(1_001), picture(1_000)];

		await run({
			binaryMode: 'filesystem',
			items: [documentItem(document)],
			parameters: { faceSource: 'base64', faceBase64: face.toString('base64') },
		});

		expect(await imagesOf('document')).toEqual([sha256(document)]);
		expect(await imagesOf('face')).toEqual([sha256(face)]);
	});

	it('may be a file of an earlier node, named by an expression', async () => {
		const image = picture(1_001);

		await run({
			binaryMode: 'filesystem',
			items: [{ files: { other: { content: image } } }],
			parameters: { documentBinaryField: "={{ $('Start').item.binary.other }}" },
		});

		expect(await imagesOf('document')).toEqual([sha256(image)]);
	});
});

describe('images as base64', () => {
	const image = picture(1_000);
	const base64 = image.toString('base64');

	it.each([
		['plain', base64],
		['with a data URI prefix', `data:image/jpeg;base64,${base64}`],
		['with line breaks', base64.replace(/.{76}/g, '$&\r\n')],
	])('arrive byte for byte: %s', async (_, documentBase64) => {
		const result = await run({
			items: [{ json: { image: documentBase64 } }],
			parameters: { documentSource: 'base64', documentBase64: '={{ $json.image }}' },
		});

		expect(result.error).toBeUndefined();
		expect(await imagesOf('document')).toEqual([sha256(image)]);
	});
});

describe('an image that cannot be sent names the field to correct:', () => {
	it.each([
		['Document Image Binary Field', {}],
		['Document Image Base64', { documentSource: 'base64', documentBase64: 'no base64' }],
		['Face Image Binary Field', { documentBinaryField: 'document', faceSource: 'binary' }],
		[
			'Reference Face Binary Field',
			{ operation: 'createHostedLink', mode: 2, referenceFaceSource: 'binary' },
		],
	])('%s', async (field, parameters) => {
		const items = [{ files: { document: { content: picture() } } }];

		const { message } = failureOf(await run({ items, parameters }));

		expect(message).toContain(`'${field}'`);
	});
});

describe('request', () => {
	it('carries the profile and the key, and no face unless asked for', async () => {
		await run({
			items: [{ files: { data: { content: picture() }, face: { content: picture() } } }],
		});

		const [request] = await sandbox.requests();
		expect(request).toMatchObject({ method: 'POST', path: '/scan', hasApiKey: true, status: 200 });
		expect(request?.fields).toEqual({ profile: 'sandbox-accept' });
		expect(Object.keys(request?.images ?? {})).toEqual(['document']);
	});

	it('says what it is, how long it is and what it takes', async () => {
		const headers: unknown[] = [];
		const server = await listenJson((request) => {
			headers.push(request.headers);
			return { body: fixture('scan-accept') };
		});

		await run({ credential: { baseUrl: server.url } });

		expect(headers).toEqual([
			expect.objectContaining({
				'x-api-key': 'sandbox-key',
				'content-type': 'application/json',
				accept: 'application/json',
				'content-length': expect.stringMatching(/^\d+$/) as string,
			}),
		]);
	});

	it.each(['default', 'filesystem'] as const)(
		'carries the additional fields, in binary mode %s',
		async (binaryMode) => {
			const additional = { country: 'US', nested: { list: [1, 'ü"\\', null] }, flag: false };

			await run({
				binaryMode,
				parameters: { options: { additionalRequestFields: JSON.stringify(additional) } },
			});

			const [request] = await sandbox.requests();
			expect(request?.status).toBe(200);
			expect(request?.fields).toEqual({ profile: 'sandbox-accept', ...additional });
		},
	);
});

describe('Output', () => {
	it('Simplified puts the first reading of each field at hand', async () => {
		const [json] = jsonOf(await run());

		expect(Object.keys(json ?? {})).toEqual([
			...['decision', 'fields', 'warnings', 'missingFields'],
			...['sanctions', 'transactionId', 'files', 'details'],
		]);
		expect(json).toMatchObject({
			decision: 'accept',
			sanctions: [],
			fields: { fullName: 'ALEX SPECIMEN', dob: '1990-02-14', dobDay: 14, dobMonth: 2 },
			files: [
				{ image: 'front', fileUrl: expect.stringMatching(/^http/) },
				{ image: 'face', fileUrl: expect.stringMatching(/^http/) },
				{ fileUrl: expect.stringMatching(/\.pdf$/) },
			],
			details: { profileId: 'sandbox-accept', warningCodes: [], credit: expect.any(Number) },
		});
		expect(json?.fields).toMatchObject({
			age: expect.any(Number),
			daysToExpiry: expect.any(Number),
			documentNumber: expect.any(String),
			postcode: '90000',
		});
	});

	it('Decision and Fields has what was chosen, and otherwise what Decision Only has', async () => {
		const [decisionOnly] = jsonOf(await run({ parameters: { output: 'decisionOnly' } }));
		const parameters = { output: 'decisionAndFields', documentFields: ['fields.age'] };

		const [item] = jsonOf(await run({ parameters }));

		expect(item).toEqual({
			...decisionOnly,
			transactionId: expect.any(String),
			details: expect.any(Object),
			fields: { age: expect.any(Number) },
		});
	});

	it('Decision Only has no personal data', async () => {
		const result = await run({ parameters: { output: 'decisionOnly', profile: 'sandbox-aml' } });

		expect(jsonOf(result)).toEqual([
			{
				decision: 'reject',
				warnings: [
					{
						code: 'AML_SANCTION',
						severity: 'high',
						confidence: expect.any(Number),
						decision: 'reject',
					},
				],
				transactionId: expect.any(String),
				details: {
					profileId: 'sandbox-aml',
					reviewScore: expect.any(Number),
					rejectScore: expect.any(Number),
					warningCodes: ['AML_SANCTION'],
					credit: expect.any(Number),
					quota: expect.any(Number),
				},
			},
		]);
		expect(JSON.stringify(result.stored)).not.toMatch(/PLACEHOLDER|1968-07-02/);
	});
});
