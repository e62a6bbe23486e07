import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { BACKEND_HEADER } from '../../dev/stack/backend';
import { STAND_IN } from '../../dev/stack/examples';
import { readDocument, tableRows } from '../kit/markdown';
import { evaluate } from './support/evaluate';
import { EXAMPLES, exampleFolders, exampleWorkflows, textsIn } from './support/exampleWorkflows';

const NO_EXAMPLES = ['templates'];
const MAX_PICTURE_BYTES = 480_000;

/** In the editor, in pixels: the sides of a node, and the height of the name below it. */
const NODE_SIZE = 96;
const NAME_HEIGHT = 32;

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const FORM = 'n8n-nodes-base.form';
/** Without it, n8n's end pages are 448 pixels wide. */
const FITS_A_PHONE = /^\.container \{ width: min\(96vw, \d+rem\); \}$/m;
const WEBHOOK = 'n8n-nodes-base.webhook';
/** Applicants open it in their browsers. */
const PAGE = 'Verification Page';
/** The service calls it, and all goes on to the trigger, which authenticates it. */
const PASSED_ON = 'A Delivery';
const TYPES_WITH_WEBHOOK = /\.(webhook|formTrigger|form|wait|identityVerificationTrigger)$/;

/**
 * How n8n's settings of a workflow are called in the editor. Without them, n8n's own defaults hold.
 */
const SAVE_SETTINGS = {
	saveDataErrorExecution: { label: 'Save failed production executions', usual: 'all' },
	saveDataSuccessExecution: { label: 'Save successful production executions', usual: 'all' },
	saveExecutionProgress: { label: 'Save execution progress', usual: false },
	saveManualExecutions: { label: 'Save manual executions', usual: true },
};

const folders = exampleFolders;
const workflows = exampleWorkflows;

describe.each(workflows)('$file', ({ file, nodes, connections }) => {
	const text = readFileSync(join(EXAMPLES, file), 'utf8');

	it('is not active, and holds no secret and no pinned data', () => {
		const { active, pinData } = JSON.parse(text) as Record<string, unknown>;
		expect({ active, pinData }).toEqual({ active: false, pinData: {} });
		for (const { credentials = {} } of nodes) {
			for (const { id, name } of Object.values(credentials)) {
				expect(id).toBeNull();
				expect(name).toMatch(
					/^(Identity Verification API|Stand-in|(SMTP|Header Auth|Basic Auth|HubSpot|Pipedrive|Slack|Google Sheets|OpenAI|n8n) account)$/,
				);
			}
		}
		expect(text).not.toMatch(/127\.0\.0\.1|localhost|\/tmp\/|\/Users\//);
	});

	// n8n runs the upper one first, and its page asks to try again, which pays again, if that fails.
	it('shows a page before what else an output leads to', () => {
		const at = new Map(nodes.map((node) => [node.name, node]));
		const heightOf = (name: string) => Number((at.get(name)?.position as number[])[1]);
		const isPage = (name?: string) => at.get(name ?? '')?.type === FORM;
		const shared = Object.values(connections)
			.flatMap(({ main = [] }) => main)
			.map((targets) => targets.map(({ node }) => node))
			.filter((names) => names.length > 1 && names.some(isPage))
			.map((names) => names.sort((one, other) => heightOf(one) - heightOf(other)));
		expect(shared.filter(([first]) => !isPage(first))).toEqual([]);
	});

	it('has no node that lies on another one or on its name', () => {
		const steps = nodes.filter(({ type }) => type !== STICKY_NOTE);
		const places = steps.map(({ name, position }) => ({ name, place: position as number[] }));
		const overlapping = places.flatMap((one, index) =>
			places
				.slice(index + 1)
				.filter((other) => {
					const [across = 0, down = 0] = one.place.map((at, axis) =>
						Math.abs(at - (other.place[axis] ?? 0)),
					);
					return across < NODE_SIZE && down < NODE_SIZE + NAME_HEIGHT;
				})
				.map((other) => [one.name, other.name]),
		);
		expect(overlapping).toEqual([]);
	});

	it('has no note over a node', () => {
		const notes = nodes.filter(({ type }) => type === STICKY_NOTE);
		const covered = notes.flatMap(({ position, parameters }) => {
			const [left = 0, top = 0] = position as number[];
			const [right, bottom] = [left + Number(parameters.width), top + Number(parameters.height)];
			return nodes.filter(({ type, position: place }) => {
				const [x = 0, y = 0] = place as number[];
				const isAcross = x + NODE_SIZE > left && x < right;
				return type !== STICKY_NOTE && isAcross && y + NODE_SIZE + NAME_HEIGHT > top && y < bottom;
			});
		});
		expect(covered.map(({ name }) => name)).toEqual([]);
	});

	it('has pages that fit a phone, and style the class that n8n gives them', () => {
		const pages = nodes.filter(({ type }) => type === FORM);
		for (const { parameters } of pages) {
			const { customCss = '' } = parameters.options as { customCss?: string };
			const isEnd = parameters.operation === 'completion';
			// n8n's own pages with fields fit.
			if (isEnd && parameters.respondWith !== 'redirect') {
				expect(customCss).toMatch(FITS_A_PHONE);
			}
			expect(customCss).not.toMatch(isEnd ? /\.form-header/ : /\.header/);
		}
	});

	it('names the settings that the editor does not import, in its note', () => {
		const { settings = {} } = JSON.parse(text) as { settings?: Record<string, unknown> };
		const lost = Object.entries(SAVE_SETTINGS).filter(
			([key, { usual }]) => (settings[key] ?? usual) !== usual,
		);
		const notes = nodes.filter(({ type }) => type === STICKY_NOTE);
		for (const [, { label }] of lost) {
			expect(notes.map(({ parameters }) => parameters.content).join()).toContain(`*${label}*`);
		}
	});

	it('keeps the addresses of its webhooks when it is imported', () => {
		const receiving = nodes.filter(({ type }) => TYPES_WITH_WEBHOOK.test(type));
		expect(receiving.filter(({ webhookId }) => !webhookId)).toEqual([]);
	});
});

it('the steps for importing say that the editor leaves out these settings, and SECURITY.md what each does', () => {
	const [, steps = ''] =
		/^## Import one\n([^]*?)^## /m.exec(readDocument('examples/README.md').text) ?? [];
	const security = readDocument('SECURITY.md');
	const rows = tableRows(security, 'Setting', 'Where').map(([setting = '']) => setting);
	expect(steps).toMatch(/\*Save …\*\s+settings [^.]*: n8n's editor doesn't import them/);
	expect(steps).toContain('../SECURITY.md#how-to-store-less');
	for (const { label } of Object.values(SAVE_SETTINGS)) {
		expect(rows.filter((row) => row.startsWith(`${label}: `))).toHaveLength(1);
	}
});

it("a Webhook node answers only the team's backend, unless it is a page or passes all on", () => {
	const webhooks = workflows.flatMap(({ nodes }) => nodes.filter(({ type }) => type === WEBHOOK));
	const open = webhooks.filter(
		({ parameters, credentials }) =>
			parameters.authentication !== 'headerAuth' || !credentials?.httpHeaderAuth,
	);
	expect(open.map(({ name }) => name).sort()).toEqual([PASSED_ON, PAGE]);
});

it('a form also opens for a customer whose browser n8n takes for a bot', () => {
	const forms = workflows.flatMap(({ nodes }) =>
		nodes.filter(({ type }) => type.endsWith('.formTrigger')),
	);
	expect(forms.length).toBeGreaterThan(5);
	for (const { parameters } of forms) expect(parameters.options).not.toHaveProperty('ignoreBots');
});

it('the commands in the READMEs send the header that npm start has set', () => {
	const commands = folders
		.flatMap((folder) => readDocument(`examples/${folder}/README.md`).blocks)
		.flatMap(({ content }) => content.split('\n'))
		.filter((line) => line.startsWith('curl '));
	const header = `-H '${BACKEND_HEADER.name}: ${BACKEND_HEADER.value}'`;
	expect(commands).toHaveLength(5);
	expect(commands.filter((command) => !command.includes(header))).toEqual([]);
});

it('the README says which examples npm start can only set up in part, and where to import them from', () => {
	const [, readme = ''] =
		/^## Import one\n([^]*)^## Good to know/m.exec(
			readFileSync(join(EXAMPLES, 'README.md'), 'utf8'),
		) ?? [];
	const HAS = ['identityVerificationApi', 'smtp', 'httpHeaderAuth', 'httpBasicAuth', 'n8nApi'];
	const partly = workflows.filter(
		({ id, nodes }) =>
			id !== STAND_IN &&
			nodes.some(({ credentials = {} }) =>
				Object.keys(credentials).some((key) => !HAS.includes(key)),
			),
	);
	expect(readme).toContain('The examples, but for [Stand-in](stand-in), are already in the editor');
	expect(partly.map(({ file }) => file.split('/')[0])).toEqual([
		'agent-with-approval',
		'crm',
		'crm',
		'crm',
	]);
	expect(readme).toMatch(/In \[CRM\]\(crm\), the steps that need an account[^]*are deactivated/);
	expect(readme).toMatch(
		/\[Agent with approval\]\(agent-with-approval\) needs an account[^]*its model is deactivated/,
	);

	const { repository } = JSON.parse(readFileSync(join(EXAMPLES, '../package.json'), 'utf8')) as {
		repository: { url: string };
	};
	const [, name = ''] = /github\.com\/(.+)\.git$/.exec(repository.url) ?? [];
	expect(readme).toContain(`https://raw.githubusercontent.com/${name}/HEAD/examples/<example>/`);
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

describe('what a result does not say', () => {
	/** The texts of an example's node that read the transaction ID for a table or a CRM. */
	const kept = workflows.flatMap(({ file, nodes }) =>
		nodes
			.filter(({ type }) => /\.(googleSheets|hubspot|pipedrive|httpRequest)$/.test(type))
			.flatMap(({ name, parameters }) =>
				textsIn(parameters)
					.filter(({ text }) => /\$json\.transactionId(?! \?\? 'unknown')/.test(text))
					.map(({ text }) => ({ file, name, text })),
			),
	);

	it.each(kept)(
		'$file, $name: replaces the transaction ID of an earlier result',
		async ({ text }) => {
			const json = { decision: 'reject', details: { warningCodes: [] } };
			const value = await evaluate(text, { json });
			if (value !== '') expect(JSON.parse(String(value))).toHaveProperty('transactionId', null);
		},
	);

	it('is looked at in all CRMs', () => {
		expect(kept).toHaveLength(4);
	});
});

it.each([
	[{ decision: 'reject', details: { warningCodes: ['DOCUMENT_EXPIRED'] } }, false],
	[{ decision: null }, false],
	[{ decision: 'reject', details: { warningCodes: ['DOCUMENT_EXPIRED', 'AML_SANCTION'] } }, true],
	[{ decision: 'reject', details: { warningCodes: ['TEXT_FORGERY'] } }, true],
	[{ decision: 'reject', details: { warningCodes: [] }, unreadable: ['warning'] }, true],
])('Second chance asks a colleague at once: %j, %s', async (json, isAsked) => {
	const example = workflows.find(({ file }) => file === 'second-chance/workflow.json');
	const node = example?.nodes.find(({ name }) => name === 'Does a Colleague Decide?');
	const { combinator, conditions } = node?.parameters.conditions as {
		combinator: string;
		conditions: [unknown, { leftValue: string }];
	};

	expect(combinator).toBe('or');
	expect(await evaluate(conditions[1].leftValue, { json })).toBe(isAsked);
});

// n8n takes a call for approved by what the model itself has written, if another call of the same
// turn was answered, or if the time to answer has passed.
it('Agent with approval has no Decline, whose answer could let another call through, and no time limit', () => {
	const example = workflows.find(({ file }) => file === 'agent-with-approval/workflow.json');
	const gate = example?.nodes.find(({ name }) => name === 'Ask a Colleague');

	expect(gate?.parameters).toMatchObject({
		approvalOptions: { values: { approvalType: 'single' } },
	});
	expect(gate?.parameters.options).toEqual({ appendAttribution: false });
});

describe('Age check', () => {
	const example = workflows.find(({ file }) => file === 'age-check/workflow.json');
	const setsOf = (name: string) => {
		const node = example?.nodes.find((node) => node.name === name);
		const { assignments } = node?.parameters.assignments as {
			assignments: { name: string; value: string }[];
		};
		return assignments;
	};

	it.each([
		[18, 'yes'],
		[129, 'yes'],
		[17, 'no'],
		[0, 'no'],
		[130, 'unknown'],
		[-1, 'unknown'],
		['17.9', 'unknown'],
		[' 18', 'unknown'],
		['１８', 'unknown'],
		['18 years', 'unknown'],
		['', 'unknown'],
		[undefined, 'unknown'],
	])('takes the age %j for %s', async (age, over18) => {
		const answer = String(setsOf('Only the Answer').find(({ name }) => name === 'over18')?.value);
		const json: IDataObject = { customData: '4711', fields: { age } };

		expect(await evaluate(answer, { json })).toBe(over18);
		expect(await evaluate(answer, { json: { ...json, decision: 'reject' } })).toBe('not proven');
		for (const decision of ['accept', 'reject']) {
			const nobodys = { ...json, decision, customData: null };
			expect(await evaluate(answer, { json: nobodys })).toBe('unknown');
		}
		expect(await evaluate(answer, { json: { ...json, unreadable: ['data'] } })).toBe('unknown');
	});

	it('has the age limit at one place, and passes on neither the age nor the rest of a result', () => {
		const texts = example?.nodes.flatMap(({ parameters }) => textsIn(parameters)) ?? [];
		expect(texts.filter(({ text }) => /^=[^]*\b(18|17)\b/.test(text))).toHaveLength(1);
		const keys = setsOf('Only the Answer').map(({ name }) => name);
		expect(keys).toEqual(['customerNumber', 'key', 'over18', 'transactionId']);
	});

	it('writes only a yes into the table', () => {
		const WRITES = ['insert', 'update', 'upsert', 'deleteRows'];
		const writing = example?.nodes.filter(({ parameters }) =>
			WRITES.includes(String(parameters.operation)),
		);
		expect(writing?.map(({ name }) => name)).toEqual(['Note the Yes']);
	});
});

describe('what an example says of warnings', () => {
	const READS_CODES = /\$(\('Verification Completed'\)\.item\.)?json\.details\??\.warningCodes/;
	/** A condition says nothing to anybody. */
	const IF = 'n8n-nodes-base.if';
	const expressions = workflows.flatMap(({ file, nodes }) =>
		nodes
			.filter(({ type }) => type !== IF)
			.flatMap(({ name, parameters }) =>
				textsIn(parameters)
					.filter(({ text }) => READS_CODES.test(text))
					.map(({ text }) => ({ file, name, text, before: nodes.map((node) => node.name) })),
			),
	);

	const resultWith = (...warnings: { code: string; decision?: string }[]) => ({
		decision: 'review',
		warnings,
		details: { warningCodes: [...new Set(warnings.map(({ code }) => code))] },
	});

	it.each(expressions)('$file, $name: is not that there are none', async ({ text, before }) => {
		const unread = { ...resultWith(), unreadable: ['warning'] };
		const read = resultWith({ code: 'FAKE_ID' });

		const textOf = async (json: IDataObject) =>
			String(await evaluate(text, { json: { ...json, 'Customer Number': '4711' } }, before));

		expect(await textOf(unread)).toMatch(/could not be read|"unreadable":\["warning"\]/);
		expect(await textOf(unread)).not.toContain('none');
		expect(await textOf(read)).toContain('FAKE_ID');
		expect(await textOf(read)).not.toMatch(/could not be read|"unreadable":\[.+\]/);
	});

	const explaining = expressions.filter(({ text }) => text.includes('led to'));

	it.each(explaining)('$file, $name: is which of them led to it', async ({ text, before }) => {
		const result = resultWith(
			{ code: 'FAKE_ID', decision: 'accept' },
			{ code: 'TEXT_FORGERY', decision: 'accept' },
			{ code: 'TEXT_FORGERY', decision: 'review' },
			{ code: 'AML_SANCTION', decision: 'reject' },
			{ code: 'IMAGE_EDITED' },
		);
		const textOf = async (decision: string | null) =>
			String(await evaluate(text, { json: { ...result, decision } }, before));
		const said = (forgery: string, sanction: string) =>
			`FAKE_ID (also found), TEXT_FORGERY (${forgery}), AML_SANCTION (${sanction}), IMAGE_EDITED (also found)`;

		expect(await textOf('review')).toContain(said('led to review', 'also found'));
		expect(await textOf('reject')).toContain(said('also found', 'led to reject'));
		for (const decision of ['accept', null, 'perhaps'])
			expect(await textOf(decision)).toContain(said('also found', 'also found'));
	});

	it('says so in five of them', () => {
		expect(explaining.map(({ file }) => file).sort()).toEqual([
			'age-check/workflow.json',
			'manual-review/workflow.json',
			'review-desk/workflow.json',
			'route-decisions/workflow.json',
			'weekly-report/workflow.json',
		]);
	});

	it('is looked at in all of them', () => {
		expect(new Set(expressions.map(({ file }) => file)).size).toBe(14);
	});
});

it.each(workflows.filter(({ file }) => /^(crm|route-decisions)\//.test(file)))(
	'$file says first that an old link can replace a newer decision, and names Case list',
	({ file, nodes }) => {
		const note = nodes.find(({ type }) => type === STICKY_NOTE)?.parameters.content;
		const [ofNote] = String(note).split('**Set before use**');
		const readme = readFileSync(join(EXAMPLES, dirname(file), 'README.md'), 'utf8');
		const [ofReadme] = readme.split('![');
		for (const text of [ofNote, ofReadme]) {
			expect(text).toMatch(/result that arrives late replaces a newer decision[^]*Case list/);
		}
	},
);

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
