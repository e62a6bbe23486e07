import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeParameters,
	INodeType,
} from 'n8n-workflow';

import { imageFields, readImage } from '../../nodes/IdentityVerification/actions/image';
import type { Image } from '../../nodes/IdentityVerification/transport/body';
import { picture } from '../kit/imageBytes';
import { sha256 } from '../kit/sandbox';
import { runNode } from '../kit/engine';
import type { InputItem, RunOptions } from '../kit/engine';

const parameter = { name: 'document', label: 'Document Image', defaultBinaryField: 'data' };

interface ReadOptions extends Omit<Partial<RunOptions>, 'node' | 'items'> {
	/** What happens behind the reading, with the first item. */
	then?: (images: Image[], item: INodeExecutionData) => Promise<void>;
}

/** What the operations read of the images before their requests. */
async function imagesOf(items: InputItem[], { then, ...options }: ReadOptions = {}) {
	const images: Image[] = [];
	const node: INodeType = {
		description: {
			displayName: 'Reader',
			name: 'reader',
			group: ['transform'],
			version: 1,
			description: 'Reads images',
			defaults: { name: 'Reader' },
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			properties: imageFields(parameter),
		},
		async execute(this: IExecuteFunctions) {
			for (const itemIndex of items.keys()) {
				const place = { context: this, itemIndex, isAgentTool: false };
				images.push(await readImage(place, parameter));
			}
			const [item] = this.getInputData();
			if (item) await then?.(images, item);
			return [[]];
		},
	};
	const { error } = await runNode({ ...options, node, items });
	expect(error).toBeUndefined();
	return images;
}

const image = picture();
const base64 = image.toString('base64');
const text: INodeParameters = { documentSource: 'base64', documentBase64: '={{ $json.image }}' };

describe('an image is known', () => {
	it.each(['filesystem', 's3'] as const)('by its ID in binary mode %s', async (binaryMode) => {
		const [first, second] = await imagesOf(
			[{ files: { data: { content: image } } }, { files: { data: { content: image } } }],
			{ binaryMode },
		);

		// Without the folder: n8n moves an upload to another one when its execution ends.
		expect(first?.identity).toMatch(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
		expect(second?.identity).not.toBe(first?.identity);
	});

	it('by its hash in memory', async () => {
		const [read] = await imagesOf([{ files: { data: { content: image } } }], {
			binaryMode: 'default',
		});

		expect(read?.identity).toBe(sha256(image));
	});

	it.each([base64, `data:image/jpeg;base64,${base64}`, base64.replace(/.{76}/g, '$&\r\n')])(
		'by its hash as base64 text',
		async (content) => {
			const [read] = await imagesOf([{ json: { image: content } }], { parameters: text });

			expect(read?.identity).toBe(sha256(image));
		},
	);
});

it.each<[string, InputItem, INodeParameters]>([
	['in memory', { files: { data: { content: image } } }, {}],
	[
		'in memory, of an expression',
		{ files: { data: { content: image } } },
		{ documentBinaryField: "={{ $('Start').item.binary.data }}" },
	],
	['as base64 text', { json: { image: base64 } }, text],
])(
	'is sent as it was checked, whatever its item holds by then: %s',
	async (_, item, parameters) => {
		const sent: unknown[] = [];

		await imagesOf([item], {
			binaryMode: 'default',
			parameters,
			then: async ([read], { json, binary }) => {
				const other = picture().toString('base64');
				if (binary?.data) binary.data.data = other;
				else json.image = other;
				sent.push(JSON.parse(JSON.stringify(read)));
			},
		});

		expect(sent).toEqual([base64]);
	},
);
