import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { NodeConnectionTypes } from 'n8n-workflow';
import type { IDataObject, INodeType } from 'n8n-workflow';

import { workflowFile } from '../../dev/stack/api';
import { runNode } from '../kit/engine';
import { readDocument } from '../kit/markdown';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
const NO_EXAMPLES = ['starters', 'templates'];
const MAX_PICTURE_BYTES = 240_000;

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const TYPES_WITH_WEBHOOK = /\.(webhook|formTrigger|form|wait|identityVerificationTrigger)$/;

const folders = readdirSync(EXAMPLES, { withFileTypes: true })
	.filter((entry) => entry.isDirectory())
	.map(({ name }) => name);
const files = folders.flatMap((folder) =>
	readdirSync(join(EXAMPLES, folder))
		.filter((name) => name.endsWith('.json'))
		.map((name) => `${folder}/${name}`),
);

function read(file: string) {
	return workflowFile.parse(JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')));
}

const workflows = files.map((file) => ({ file, ...read(file) }));

describe.each(workflows)('$file', ({ file, nodes }) => {
	const text = readFileSync(join(EXAMPLES, file), 'utf8');

	it('is not active, and holds no secret and no pinned data', () => {
		const { active, pinData } = JSON.parse(text) as Record<string, unknown>;
		expect({ active, pinData }).toEqual({ active: false, pinData: {} });
		for (const { credentials = {} } of nodes) {
			for (const { id, name } of Object.values(credentials)) {
				expect(id).toBeNull();
				expect(name).toMatch(
					/^(Identity Verification API|(SMTP|HubSpot|Pipedrive|Slack|Google Sheets) account)$/,
				);
			}
		}
		expect(text).not.toMatch(/127\.0\.0\.1|localhost|\/tmp\/|\/Users\//);
	});

	it('keeps the addresses of its webhooks when it is imported', () => {
		const receiving = nodes.filter(({ type }) => TYPES_WITH_WEBHOOK.test(type));
		expect(receiving.filter(({ webhookId }) => !webhookId)).toEqual([]);
	});
});

it('no two examples share an ID, a name or an address', () => {
	const addresses = workflows.flatMap(({ nodes }) =>
		nodes.flatMap(({ webhookId, parameters }) => [webhookId, parameters.path]),
	);
	const found = [
		...workflows.map(({ id }) => id),
		...workflows.map(({ name }) => name),
		...addresses.filter(Boolean),
	];
	expect(found.filter((value, index) => found.indexOf(value) !== index)).toEqual([]);
});

describe('what an example says of warnings', () => {
	const READS_CODES = /\$json\.details\??\.warningCodes/;
	const expressions = workflows.flatMap(({ file, nodes }) =>
		nodes.flatMap(({ name, parameters }) =>
			textsIn(parameters)
				.filter((text) => READS_CODES.test(text))
				.map((text) => ({ file, name, text })),
		),
	);

	it.each(expressions)('$file, $name: is not that there are none', async ({ text }) => {
		const unread = { decision: 'review', details: { warningCodes: [] }, unreadable: ['warning'] };
		const read = { ...unread, details: { warningCodes: ['FAKE_ID'] }, unreadable: undefined };

		expect(await evaluate(text, unread)).toMatch(/could not be read|"unreadable":\["warning"\]/);
		expect(await evaluate(text, unread)).not.toContain('none');
		expect(await evaluate(text, read)).toContain('FAKE_ID');
		expect(await evaluate(text, read)).not.toMatch(/could not be read|"unreadable":\[.+\]/);
	});

	it('is looked at in all of them', () => {
		expect(new Set(expressions.map(({ file }) => file)).size).toBe(13);
	});
});

/** All texts in the parameters of a node. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(textsIn);
}

/** The text that n8n makes of an expression for an item. */
async function evaluate(text: string, json: IDataObject): Promise<string> {
	const { outputs } = await runNode({ node: evaluating, parameters: { text }, items: [{ json }] });
	return String(outputs[0]?.[0]?.json.text);
}

/** A node that returns its parameter. */
const evaluating: INodeType = {
	description: {
		displayName: 'Evaluating',
		name: 'evaluating',
		group: [],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'Text', name: 'text', type: 'string', default: '' }],
	},
	async execute() {
		return [[{ json: { text: this.getNodeParameter('text', 0) }, pairedItem: 0 }]];
	},
};

describe.each(folders.filter((folder) => !NO_EXAMPLES.includes(folder)))(
	'the example %s',
	(folder) => {
		const own = workflows.filter(({ file }) => file.startsWith(`${folder}/`));
		const names = own.flatMap(({ nodes }) => nodes.map(({ name }) => name));
		const notes = own.flatMap(({ nodes }) =>
			nodes
				.filter(({ type }) => type === STICKY_NOTE)
				.map(({ parameters }) => String(parameters.content)),
		);

		it('has a note that says what to set, at real nodes', () => {
			for (const { nodes } of own) {
				const contents = nodes
					.filter(({ type }) => type === STICKY_NOTE)
					.map(({ parameters }) => String(parameters.content));
				expect(contents.filter((text) => text.includes('**Set before use**'))).toHaveLength(1);
			}
			const bold = notes.flatMap((text) =>
				[...text.matchAll(/\*\*([^*]+?):?\*\*/g)].map(([, name = '']) => name),
			);
			expect(bold.filter((name) => !names.includes(name) && name !== 'Set before use')).toEqual([]);
		});

		it('names the trigger at which to select Execute workflow', () => {
			const named = /point at \*\*[^*]+\*\*( once)?, and select \*Execute workflow\* beside it/gi;
			for (const text of notes) expect(text.replace(named, '')).not.toContain('*Execute workflow*');
		});

		it('has pictures of a sensible size in its README', () => {
			const { links } = readDocument(`examples/${folder}/README.md`);
			const pictures = links.filter((link) => link.endsWith('.png'));
			expect(pictures).toContain('picture.png');
			for (const picture of pictures) {
				const path = join(EXAMPLES, folder, picture);
				expect(existsSync(path) && statSync(path).size).toBeLessThan(MAX_PICTURE_BYTES);
			}
		});

		it('is in the list of examples', () => {
			expect(readDocument('README.md').links).toContain(`examples/${folder}`);
		});
	},
);
