import { isDeepStrictEqual } from 'node:util';

import { Parser } from 'htmlparser2';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { safeFileName } from '../../nodes/IdentityVerification/actions/downloadFiles/fileName';
import { HOSTILE_TEXT, MARKER } from '../kit/data/hostileText';
import { evaluate } from './support/evaluate';
import { exampleWorkflows, textsIn } from './support/exampleWorkflows';
import type { ExampleNode, ExampleWorkflow } from './support/exampleWorkflows';

// What an applicant, a sender or the service has written reaches people and systems as text. Each
// parameter of an example that reads something has a verdict here: what becomes of its text. What
// people read uses only the fields `shown.…`, which nodes called *Safe to Show* add.

/** What becomes of the text of a parameter. */
type Medium =
	/** It stays in n8n, or goes out as a value that its node encodes itself. */
	| 'value'
	| 'subject'
	| 'plain text'
	| 'HTML'
	/** HTML in which n8n itself undoes escaping. */
	| 'HTML of Send and Wait'
	| 'Slack'
	| 'JSON with text for Slack'
	/** To one of these, which a check before it guarantees. */
	| 'recipient'
	| 'ID in a path'
	| 'file name'
	| 'table cell'
	/** It begins with an address of the service or of n8n. */
	| 'redirect'
	/** It is an address that the team enters in its own form. */
	| 'own address';

const READ_BY_PEOPLE: Medium[] = [
	'subject',
	'plain text',
	'HTML',
	'HTML of Send and Wait',
	'Slack',
	'JSON with text for Slack',
];

/** Edit Fields nodes that make strangers' words harmless. */
const SAFE_TO_SHOW = /^Safe to Show(: .+)?$/;

const MEDIA: Record<string, Record<string, Medium>> = {
	// It goes to a model.
	agent: { text: 'value' },
	code: { jsCode: 'value' },
	dataTable: {
		'columns.value': 'value',
		// Of tables and columns that the workflow itself names.
		'dataTableId.value': 'value',
		'filters.conditions.keyName': 'value',
		'filters.conditions.keyValue': 'value',
	},
	emailSend: {
		toEmail: 'recipient',
		subject: 'subject',
		text: 'plain text',
		html: 'HTML',
		message: 'HTML of Send and Wait',
		'options.attachments': 'value',
	},
	emailSendHitlTool: {
		toEmail: 'recipient',
		subject: 'subject',
		message: 'HTML of Send and Wait',
	},
	executeWorkflow: { 'workflowId.value': 'value' },
	filter: {
		'conditions.conditions.leftValue': 'value',
		'conditions.conditions.rightValue': 'value',
	},
	form: {
		completionMessage: 'HTML',
		completionTitle: 'HTML',
		'options.formDescription': 'HTML',
		'options.formTitle': 'HTML',
		// n8n encodes the names of its fields and their options.
		jsonOutput: 'value',
		redirectUrl: 'redirect',
	},
	googleSheets: { 'columns.value': 'table cell' },
	httpRequest: {
		jsonBody: 'value',
		method: 'value',
		// n8n refuses what is no header.
		'headerParameters.parameters.name': 'value',
		'headerParameters.parameters.value': 'value',
		'queryParameters.parameters.value': 'value',
		url: 'own address',
	},
	hubspot: {
		'dealId.value': 'ID in a path',
		'updateFields.customPropertiesUi.customPropertiesValues.value': 'value',
	},
	identityVerification: { customData: 'value', documentBinaryField: 'value', profile: 'value' },
	identityVerificationTool: { customData: 'value' },
	if: { 'conditions.conditions.leftValue': 'value', 'conditions.conditions.rightValue': 'value' },
	pipedrive: {
		personId: 'ID in a path',
		'updateFields.customFields.property.value': 'value',
	},
	readWriteFile: { fileName: 'file name', fileSelector: 'file name', dataPropertyName: 'value' },
	respondToWebhook: {
		responseBody: 'HTML',
		redirectURL: 'redirect',
		'options.responseCode': 'value',
	},
	set: { 'assignments.assignments.value': 'value', jsonOutput: 'value' },
	slack: { text: 'Slack' },
	stopAndError: { errorMessage: 'value' },
	switch: { 'rules.values.conditions.conditions.leftValue': 'value' },
	wait: { dateTime: 'value', amount: 'value' },
};

const CODE = [
	'compare-with-your-records/workflow.json, Compare Them',
	...['From the Start', "The Executions' IDs", "The Rows' IDs", 'What Was Found'].map(
		(name) => `erase-a-person/search.json, ${name}`,
	),
	'erase-a-person/workflow.json, Exactly These',
	...[
		'Measure',
		'Plan',
		'Report',
		'Two Links',
		'What Arrived',
		'What Became of Custom Data',
		'What Has Arrived',
		'What Is Expected',
	].map((name) => `pilot/link.json, ${name}`),
	...[
		'Free Answers',
		'Measure',
		'Next Request',
		'Plan',
		'Report',
		'Three Secrets',
		'What Is Expected',
	].map((name) => `pilot/workflow.json, ${name}`),
	'several-documents/workflow.json, Put Them Together',
];

/** Their forms need a login: the team itself enters where their requests go. */
const OWN_ADDRESSES = ['pilot/link.json', 'pilot/workflow.json'];

/** n8n's public API, whose address the team sets in the workflow, with n8n's own ID of an execution. */
const N8N_API = /^=\{\{ [^{}]*\bjson\.apiUrl \}\}\/[a-z-]+(\/\{\{ \$json\.id \}\})?$/;

/** n8n's own address of a Webhook node, from its settings, and another one that begins like it. */
const N8N_WEBHOOK =
	/^=\{\{ \$\('[^']+'\)\.first\(\)\.json\.webhookUrl(\.replace\('[^']+', '[^']+'\))? \}\}(\/link)?$/;

/** Values that only n8n, this package or the workflow itself writes. */
const OWN_VALUES = {
	details: { warningCodes: ['FAKE_ID'] },
	warnings: [{ code: 'FAKE_ID', decision: 'reject' }],
	warningCodes: 'FAKE_ID',
	unreadable: ['warning'],
	outcome: 'reject',
	state: 'accepted',
	worstDecision: 'reject',
	charged: 'No.',
	reviewer: 'reviewer@example.com',
	execution: 'https://n8n.example.com/execution/1',
	folder: '/files',
	started: '2026-01-01',
	awaitedBy: '1',
	token: '6fa459ea-ee8a-3ca4-894e-db77e160355e',
	isAccepted: true,
	nameIsTheSame: false,
	dateOfBirthIsTheSame: false,
	timestamp: '2026-01-05T08:00:00.000+00:00',
	needed: 8,
	allowed: 9,
	fileCount: 3,
	// Of Pilot: an address that it has checked, and what its report says in its own words.
	deliveriesUrl: 'https://n8n.example.com/webhook/pilot-deliveries?secret=1&second=2',
	limits: { mostMinutes: 30 },
	paidRequests: { sent: 8, allowed: 9 },
	credits: { before: 1000, after: 993 },
	problems: 'The Webhook URL is not an address.',
	verdict: 'Go live.',
	toFindOut: 'Find out by hand how long a link lives.',
	afterwards: "Put the trigger's address back.",
	// Of the review desk: the number and the state of a case, and whose account decided what.
	id: 17,
	service: 'reject',
	rule: 'Version 1: two people decide.',
	stateBefore: 'open',
	choice: 'accept',
	when: '2026-01-05 08:00 UTC',
	userId: '6fa459ea-ee8a-3ca4-894e-db77e160355e',
	role: 'lead',
	...Object.fromEntries(
		['overdue', 'late', 'disputed', 'stuck', 'expired'].map((key) => [key, '17, 18']),
	),
	...Object.fromEntries(['opened', 'decided', 'overruled', 'open'].map((key) => [key, 3])),
	hours: [3],
};

/** A line of Pilot's report, in its own words. */
const EXPECTED = { id: 'wrong-key', assumption: 'A wrong key is refused.', verdict: 'holds' };

/** An address in a result begins with http or https and has no blanks. */
const HOSTILE_URL = `https://evil.example/${MARKER}"><img/src=x>'&lt;`;

const HARMLESS_URL = `https://example.com/${MARKER}`;

/** An item in which all that an example's expressions read is this text. */
function itemOf(text: string, url: string): INodeExecutionData {
	const keys = exampleWorkflows.flatMap(({ nodes }) =>
		nodes.flatMap(({ parameters }) =>
			textsIn(parameters).flatMap((found) => [
				...[...found.text.matchAll(/\.([a-zA-Z]\w*)/g)].map(([, key = '']) => key),
				...[...found.text.matchAll(/\['([^']+)'\]/g)].map(([, key = '']) => key),
				...[...found.text.matchAll(/\$fromAI\('([^']+)'/g)].map(([, key = '']) => key),
			]),
		),
	);
	const texts = Object.fromEntries(keys.map((key) => [key, text]));
	const document = { file: text, transactionId: text, error: text, warnings: ['FAKE_ID'] };
	const item: IDataObject = {
		...texts,
		...OWN_VALUES,
		url,
		qrCode: url,
		documents: [{ ...document, outcome: 'reject', isNoPhoto: true }],
		lines: ['seen', 'todo'].map((key) => ({ ...EXPECTED, [key]: text })),
		rows: [{ about: 'Warning', label: text, sum_count: 2 }],
		// Of Erase a person, whose search names executions and rows by n8n's own numbers.
		ids: [text],
		// Of Agent with approval: what its tool has returned.
		intermediateSteps: [{ observation: JSON.stringify([{ url, error: text }]) }],
		found: [{ label: 'Execution 17 of Case list', kind: 'execution', id: '17', is: 'exact' }],
		remarks: ["Tables that this project doesn't have: Manual reviews"],
		others: [{ id: 16, state: 'open', service: 'review', reasons: text, history: text }],
		user: { email: text, firstName: text, lastName: text },
	};
	const fileName = safeFileName(text);
	const file = { data: '', mimeType: 'application/pdf', fileName };
	return { json: { ...item, body: { ...item }, query: { ...item } }, binary: { file_1: file } };
}

interface Written {
	item: INodeExecutionData;
	/** What people may read of it: the fields that a workflow's *Safe to Show* nodes add. */
	shownIn(workflow: ExampleWorkflow): Promise<IDataObject>;
}

/** Evaluates what is shown once for each workflow, because many of its parameters read it. */
function writtenAs(item: INodeExecutionData): Written {
	const shown = new Map<ExampleWorkflow, Promise<IDataObject>>();
	return {
		item,
		shownIn: async (workflow) => {
			const inWorkflow = shown.get(workflow) ?? evaluateShown(workflow, item);
			shown.set(workflow, inWorkflow);
			return await inWorkflow;
		},
	};
}

const harmless = writtenAs(itemOf(MARKER, HARMLESS_URL));
const hostile = writtenAs(itemOf(HOSTILE_TEXT, HOSTILE_URL));

interface Assignment {
	name: string;
	value: string;
}

const isSafeToShow = ({ name }: ExampleNode) => SAFE_TO_SHOW.test(name);

const fieldsOf = ({ parameters }: ExampleNode) =>
	(parameters.assignments as { assignments: Assignment[] }).assignments;

const namesOf = ({ nodes }: ExampleWorkflow) => nodes.map(({ name }) => name);

async function evaluateShown(
	workflow: ExampleWorkflow,
	item: INodeExecutionData,
): Promise<IDataObject> {
	const shown: IDataObject = {};
	for (const { name, value } of workflow.nodes.filter(isSafeToShow).flatMap(fieldsOf)) {
		const key = name.replace('shown.', '');
		shown[key] = (await evaluate(value, item, namesOf(workflow))) as IDataObject;
	}
	return shown;
}

// Texts with the time are compared with each other.
beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 0, 5)));
afterEach(() => void jest.restoreAllMocks());

const shortType = ({ type }: ExampleNode) => type.split('.').at(-1) ?? '';

/** The parameters of an example that are expressions. */
const expressions = exampleWorkflows.flatMap((workflow) =>
	workflow.nodes.flatMap((node) =>
		textsIn(node.parameters)
			.filter(({ text }) => text.startsWith('='))
			.map(({ path, text }) => ({
				workflow,
				node,
				text,
				where: `${workflow.file}, ${node.name}: ${path}`,
				medium: mediumOf(node, path),
			})),
	),
);

function mediumOf(node: ExampleNode, path: string): Medium | undefined {
	const { parameters } = node;
	const url = String(parameters.url);
	if (
		path === 'jsonBody' &&
		!url.startsWith('https://crm.example.com/') &&
		!N8N_WEBHOOK.test(url)
	) {
		return 'JSON with text for Slack';
	}
	if (path === 'responseBody' && parameters.respondWith === 'json') return 'value';
	const media = MEDIA[shortType(node)] ?? {};
	// The columns of a table have names of their own.
	return media[path] ?? media[path.replace(/\.[^.]+$/, '')];
}

it('each expression of an example has a verdict, so that a new one gets one', () => {
	const unjudged = expressions.filter(({ medium }) => medium === undefined);
	expect(unjudged.map(({ where }) => where)).toEqual([]);
});

/** Types of nodes that write somewhere what they are given. */
const WRITES =
	/\.(googleSheets|convertToFile|readWriteFile|emailSend|slack|httpRequest|hubspot|pipedrive)$/;

it('no node writes an item as it is where formulas have a meaning', () => {
	const nodes = exampleWorkflows.flatMap((workflow) => workflow.nodes);
	for (const { type, parameters } of nodes.filter((node) => WRITES.test(node.type))) {
		expect(JSON.stringify(parameters)).not.toContain('autoMapInputData');
		// Cells of xlsx are texts, never formulas; JSON has none.
		if (type.endsWith('.convertToFile')) expect(parameters.operation).toMatch(/^(xlsx|toJson)$/);
	}
});

it('Code stands only where what it returns is known here', () => {
	const code = exampleWorkflows.flatMap(({ file, nodes }) =>
		nodes.filter((node) => shortType(node) === 'code').map(({ name }) => `${file}, ${name}`),
	);
	expect(code.sort()).toEqual(CODE);
});

const withMedium = (...media: Medium[]) =>
	expressions.filter(({ medium }) => medium !== undefined && media.includes(medium));

async function textOf(
	{ workflow, node, text }: (typeof expressions)[number],
	written: Written,
): Promise<string> {
	const { item } = written;
	const before = namesOf(workflow).filter((name) => name !== node.name);
	const given = { ...item, json: { ...item.json, shown: await written.shownIn(workflow) } };
	const result = await evaluate(text, given, before);
	expect(typeof result).toBe('string');
	return String(result);
}

/** n8n's Send and Wait makes a line break of a backslash and an n. */
const asShown = (message: string) => message.replaceAll(String.raw`\n`, '\n');

/** The text of a message. Of a request to Slack, it is the only field. */
async function messageOf(
	expression: (typeof expressions)[number],
	written: Written,
): Promise<string> {
	const result = await textOf(expression, written);
	if (expression.medium !== 'JSON with text for Slack') return result;
	const { text, ...others } = JSON.parse(result) as Record<string, unknown>;
	expect(others).toEqual({});
	return String(text);
}

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800]/u;

const fieldsToShow = exampleWorkflows.flatMap((workflow) =>
	workflow.nodes
		.filter(isSafeToShow)
		.flatMap((node) => fieldsOf(node).map((field) => ({ workflow, node, ...field })))
		.map((field) => ({ ...field, where: `${field.workflow.file}, ${field.node.name}` })),
);

/** A model's words enter in the message itself, so no node can stand between them. */
const isByModel = ({ text }: { text: string }) => text.includes('$fromAI');

/** What makes a text harmless: a class of invisible signs, or HTML's entities. */
const CLEANS = /\\p\{C\}|charCodeAt/;

describe('Safe to Show', () => {
	it.each(fieldsToShow)('$where: adds $name', ({ node, name }) => {
		expect(shortType(node)).toBe('set');
		expect(node.parameters.includeOtherFields).toBe(true);
		expect(name).toMatch(/^shown\.\w+$/);
	});

	it.each(fieldsToShow)('$where: makes $name short and harmless', async (field) => {
		const { workflow, name, value } = field;
		const [got, expected] = await Promise.all(
			[hostile, harmless].map(({ item }) => evaluate(value, item, namesOf(workflow))),
		);
		const texts = textsIn({ got }).map(({ text }) => text);
		// An address without blanks; nothing of it may be missing.
		const isAddress = /\.(url|qrCode)$/.test(name);
		for (const text of texts) {
			expect(text).not.toMatch(INVISIBLE);
			expect(text).not.toMatch(/[<>"`\\]/);
		}
		if (isAddress || isDeepStrictEqual(got, expected)) return;
		const lengths = [...value.matchAll(/\.slice\(0, (\d+)\)/g)].map(([, length]) => Number(length));
		expect(lengths.filter((length) => ![80, 300, 1_000].includes(length))).toEqual([]);
		for (const text of texts) {
			expect(text.replace(/&#\d+;/g, '_').length).toBeLessThanOrEqual(Math.max(...lengths));
		}
	});

	it.each(withMedium(...READ_BY_PEOPLE).filter((one) => !isByModel(one)))(
		'is all that people read: $where',
		async (expression) => {
			const { shownIn } = harmless;
			const [got, expected] = await Promise.all([
				textOf(expression, { ...hostile, shownIn }),
				textOf(expression, harmless),
			]);
			// A plain text has the link as it is.
			const isPlain = expression.medium === 'plain text';
			expect(isPlain ? got.replace(HOSTILE_URL, HARMLESS_URL) : got).toBe(expected);
		},
	);

	it('is the only place where a text is made harmless', () => {
		const others = expressions.filter(
			(one) => !isByModel(one) && !isSafeToShow(one.node) && CLEANS.test(one.text),
		);
		expect(others.map(({ where }) => where)).toEqual([]);
	});

	it('is not for what is sent, stored or compared', () => {
		const others = expressions.filter(
			({ node, medium = 'value', text }) =>
				!READ_BY_PEOPLE.includes(medium) && shortType(node) !== 'set' && text.includes('shown.'),
		);
		expect(others.map(({ where }) => where)).toEqual([]);
	});

	// The tools of an agent know no item.
	it('is read by its own item where several run', () => {
		const others = expressions.filter(({ text }) =>
			/\('Safe to Show[^']*'\)\.(?!item\.)/.test(text),
		);
		const files = new Set(others.map(({ workflow }) => workflow.file));
		expect([...files]).toEqual(['agent-with-approval/workflow.json']);
	});
});

/** How many characters a stranger's value adds to a line at most. */
const MAX_ADDED = 80;
/** The same, by what such a line begins with. */
const MAX_ADDED_AFTER: Record<string, number> = { '': 300, 'Cause: ': 300, 'Message: ': 1_000 };

/**
 * A hostile text has the lines of the harmless one, each of which begins as it does there, and a
 * stranger's value stands last on it.
 * @param end what follows the value
 */
function expectSameLines(got: string, expected: string, end = ''): void {
	const lines = got.split('\n');
	const expectedLines = expected.split('\n');
	expect(lines).toHaveLength(expectedLines.length);
	for (const [index, line] of lines.entries()) {
		const [ours = '', after] = String(expectedLines[index]).split(MARKER);
		expect(line).not.toMatch(INVISIBLE);
		if (after === undefined) {
			expect(line).toBe(ours);
			continue;
		}
		const start = ours.replace('https://example.com/', '');
		expect(line.startsWith(start)).toBe(true);
		expect(after).toBe(end);
		const mostAdded = MAX_ADDED_AFTER[start] ?? MAX_ADDED;
		expect(line.length - start.length - end.length).toBeLessThanOrEqual(mostAdded);
	}
}

/** The signs of which markup is made. Slack has a stranger's value in backticks. */
function signsOf(text: string): string {
	return text.replace(/[^<>&"'`*_~]/g, '');
}

const URLS = [HARMLESS_URL, HOSTILE_URL];
const withoutUrl = (text: string, url: string) => text.replace(url, '');

/** The elements and attributes of HTML, without its text. */
function markupOf(html: string): string[] {
	const found: string[] = [];
	const parser = new Parser({
		onopentag: (name, attributes) => {
			// Only the address of a link may stand in an attribute.
			const values = Object.values(attributes).map((value) => URLS.reduce(withoutUrl, value));
			expect(values.join()).not.toContain(MARKER);
			found.push(`<${name} ${Object.keys(attributes).join(' ')}>`);
		},
		onclosetag: (name) => found.push(`</${name}>`),
		oncomment: () => found.push('<!---->'),
		onprocessinginstruction: (name) => found.push(name),
	});
	parser.end(html);
	return found;
}

describe('a stranger writes', () => {
	it.each(withMedium('subject'))('one line into a subject: $where', async (expression) => {
		expectSameLines(await textOf(expression, hostile), await textOf(expression, harmless));
	});

	it.each(withMedium('plain text'))('no line into a mail: $where', async (expression) => {
		expectSameLines(await textOf(expression, hostile), await textOf(expression, harmless));
	});

	it.each(withMedium('Slack', 'JSON with text for Slack', 'HTML of Send and Wait'))(
		'no line and no markup into a message: $where',
		async (expression) => {
			const [got, expected] = await Promise.all([
				messageOf(expression, hostile),
				messageOf(expression, harmless),
			]);
			const isSlack = expression.medium !== 'HTML of Send and Wait';
			expectSameLines(asShown(got), asShown(expected), isSlack ? '`' : '');
			const values = got.split('\n').map((line) => line.slice(Math.max(0, line.indexOf(MARKER))));
			const signs = values.filter((value) => value.startsWith(MARKER)).map(signsOf);
			expect(signs.filter((found) => !/^[*_~]*`?$/.test(found))).toEqual([]);
		},
	);

	it.each(withMedium('HTML'))('no tag and no attribute into HTML: $where', async (expression) => {
		const got = await textOf(expression, hostile);
		expect(markupOf(got)).toEqual(markupOf(await textOf(expression, harmless)));
		expect(got).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
	});

	it.each(withMedium('file name'))('no folder into a path: $where', async (expression) => {
		const [got, expected] = await Promise.all([
			textOf(expression, hostile),
			textOf(expression, harmless),
		]);
		const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
		expect(folderOf(got)).toBe(folderOf(expected));
		expect(got).not.toMatch(INVISIBLE);
		expect(got).not.toContain('\\');
		expect(Buffer.byteLength(got.slice(folderOf(got).length + 1))).toBeLessThan(256);
	});

	it.each(withMedium('table cell'))('no formula into a table: $where', ({ node }) => {
		expect(node.parameters.options).toMatchObject({ cellFormat: 'RAW' });
	});

	it('nothing into the address of a request', () => {
		const requests = exampleWorkflows
			.filter(({ file }) => !OWN_ADDRESSES.includes(file))
			.flatMap(({ nodes }) => nodes.filter((node) => shortType(node) === 'httpRequest'));
		expect(requests.length).toBeGreaterThan(5);
		const urls = requests.map(({ parameters }) => String(parameters.url));
		const own = (url: string) => N8N_API.test(url) || N8N_WEBHOOK.test(url);
		expect(urls.filter((url) => url.startsWith('=') && !own(url))).toEqual([]);
	});
});

const ID_CHECK = 'Is It an ID?';
const ADDRESS_CHECK = 'Is It an E-mail Address?';
/** The same of an address that the team's own CRM has. */
const OWN_ADDRESS_CHECK = 'Is There One Address?';

/** The pattern that a check of the workflow compares with. */
function patternOf(node: ExampleNode): string {
	const { conditions } = node.parameters.conditions as {
		conditions: { rightValue: unknown; operator: { operation: string } }[];
	};
	expect(conditions).toMatchObject([{ operator: { operation: 'regex' } }]);
	return String(conditions[0]?.rightValue);
}

const checks = (name: string) =>
	exampleWorkflows.flatMap(({ file, nodes }) =>
		nodes.filter((node) => node.name === name).map((node) => ({ file, pattern: patternOf(node) })),
	);

/** The nodes that are reached from some, if the checks of these names let nothing pass. */
function reachedWithout({ connections }: ExampleWorkflow, from: string[], names: RegExp): string[] {
	const reached = new Set(from);
	for (const name of reached) {
		const outputs = connections[name]?.main ?? [];
		const open = names.test(name) ? outputs.slice(1) : outputs;
		for (const { node } of open.flat()) reached.add(node);
	}
	return [...reached];
}

describe('before anything is paid or sent', () => {
	/** Whatever starts a workflow, but for what only the team or n8n starts. */
	const isOpenDoor = ({ type, parameters }: ExampleNode) =>
		/(trigger|\.webhook)$/i.test(type) &&
		!/\.(manual|schedule|error|identityVerification)Trigger$/.test(type) &&
		[undefined, 'none'].includes(parameters.authentication as string | undefined);
	const doors = exampleWorkflows.filter(({ nodes }) => nodes.some(isOpenDoor));

	it.each(doors)('$file lets only an ID or an e-mail address pass', (workflow) => {
		const from = workflow.nodes.filter(isOpenDoor);
		const names = from.map(({ name }) => name);
		const reached = reachedWithout(workflow, names, /^Is It an (ID|E-mail Address)\?$/);
		const paid = workflow.nodes.filter((node) => shortType(node) === 'identityVerification');
		expect(paid.filter(({ name }) => reached.includes(name))).toEqual([]);
		// A form asks for both only if both are checked.
		const asked = JSON.stringify(from.map(({ parameters }) => parameters));
		const has = (name: string) => workflow.nodes.some((node) => node.name === name);
		expect(has(ADDRESS_CHECK)).toBe(asked.includes('E-mail'));
		expect(has(ID_CHECK)).toBe(/Customer Number|"verify"/.test(asked));
	});

	const checked = exampleWorkflows.flatMap(({ file, nodes }) =>
		nodes
			.filter(({ name }) =>
				/^Is (It (an ID|an E-mail Address|the ID of .*)|There One Address)\?$/.test(name),
			)
			.map((node) => ({ file, node, nodes })),
	);

	it.each(checked)('$file, $node.name looks at what is used', ({ node, nodes }) => {
		const { conditions } = node.parameters.conditions as { conditions: { leftValue: string }[] };
		const leftValue = String(conditions[0]?.leftValue);
		const [, read = ''] = /^=\{\{ \$json(\S+|\['[^']+'\]) \?\? '' \}\}$/.exec(leftValue) ?? [];
		const used = nodes.flatMap(({ parameters }) => [
			parameters.customData,
			parameters.toEmail,
			parameters.personId,
			(parameters.dealId as IDataObject | undefined)?.value,
		]);
		// Scans have no field for it: the team's mail says whose it is.
		used.push(
			...nodes
				.filter(isSafeToShow)
				.flatMap(fieldsOf)
				.map(({ value }) => value),
		);
		expect(read).not.toBe('');
		expect(used.filter((text) => String(text).includes(read))).not.toEqual([]);
	});

	it.each(withMedium('recipient').filter(({ text }) => !text.includes('reviewer')))(
		'a mail goes to one address: $where',
		({ workflow, node }) => {
			expect(node.parameters.toEmail).toMatch(/^=\{\{[^{}]+\}\}$/);
			const starts = workflow.nodes.filter(({ type }) => /trigger|webhook/i.test(type));
			const names = starts.map(({ name }) => name);
			const reached = reachedWithout(workflow, names, /^Is (It an E-mail|There One) Address\?$/);
			expect(reached).not.toContain(node.name);
		},
	);

	it.each(withMedium('ID in a path'))('only a number is an ID: $where', ({ workflow, node }) => {
		const check = workflow.nodes.find(({ name }) => name.startsWith('Is It the ID of'));
		const starts = workflow.nodes.filter(({ type }) => /trigger/i.test(type));
		const names = starts.map(({ name }) => name);
		expect(reachedWithout(workflow, names, /^Is It the ID of/)).not.toContain(node.name);
		const pattern = new RegExp(patternOf(check as ExampleNode));
		for (const id of ['1', '4711']) expect(id).toMatch(pattern);
		for (const other of ['', '0', '1e3', '0x1F', '-1', '1.5', '4711\n', '../1', '٤']) {
			expect(other).not.toMatch(pattern);
		}
	});

	it('an ID is the same in all examples', () => {
		expect(checks(ID_CHECK).length).toBeGreaterThan(4);
		expect(new Set(checks(ID_CHECK).map(({ pattern }) => pattern)).size).toBe(1);
		const pattern = new RegExp(checks(ID_CHECK)[0]?.pattern ?? '');
		const ids = ['4711', 'C-4711', '7', 'A_b-3', '0015g00000NkS7aAAF', `1${'a'.repeat(39)}`];
		for (const id of [...ids, '6fa459ea-ee8a-3ca4-894e-db77e160355e']) expect(id).toMatch(pattern);
		const others = [
			'null',
			'NaN',
			'undefined',
			'accept',
			'',
			'.',
			'..',
			'-1',
			'1-',
			'_',
			'evil.example',
			'А-1',
			'٤٧',
			'４７１１',
			'é',
		];
		const broken = [
			'47 11',
			'4711\n',
			'\n4711',
			'4711\u200b',
			`1${'a'.repeat(40)}`,
			'x@example.com',
			HOSTILE_TEXT,
		];
		for (const other of [...others, ...broken]) expect(other).not.toMatch(pattern);
	});

	it('an e-mail address is the same in all examples', () => {
		expect(checks(ADDRESS_CHECK).length).toBeGreaterThan(2);
		expect(new Set(checks(ADDRESS_CHECK).map(({ pattern }) => pattern)).size).toBe(1);
		const pattern = new RegExp(checks(ADDRESS_CHECK)[0]?.pattern ?? '');
		const good = [
			'alex@example.com',
			'a.b+c_d%e@mail.example.co.uk',
			"o'brien@example.com",
			'a@xn--e1afmkfd.xn--p1ai',
			'1@xn--mller-kva.example',
		];
		for (const address of good) expect(address).toMatch(pattern);
		const bad = [
			'',
			'not an address',
			'a@example.com, b@example.com',
			'a@example.com;b@example.com',
			'Alex <a@example.com>',
			'a@example.com\nBcc: b@example.com',
			'"a b"@example.com',
			'a@b@example.com',
			'a@localhost',
			'a@b..com',
			'.@-.co',
			`${'a'.repeat(80)}@example.com`,
			HOSTILE_TEXT,
		];
		for (const address of bad) expect(address).not.toMatch(pattern);
	});

	const own = exampleWorkflows.filter(({ nodes }) =>
		nodes.some(({ name }) => name === OWN_ADDRESS_CHECK),
	);

	it.each(own)('$file takes one address out of what the CRM has', async ({ nodes }) => {
		const fields = nodes.filter((node) => shortType(node) === 'set').flatMap(fieldsOf);
		const { value = '' } = fields.find(({ name }) => name === 'email') ?? {};
		const check = nodes.find(({ name }) => name === OWN_ADDRESS_CHECK) as ExampleNode;
		const addressOf = async (email: unknown) => {
			const address = String(await evaluate(value, { json: { body: { email } } as IDataObject }));
			return new RegExp(patternOf(check)).test(address) ? address : undefined;
		};

		expect(await addressOf('alex@example.com ')).toBe('alex@example.com');
		expect(await addressOf('Alex Specimen <alex@müller.example>')).toBe('alex@müller.example');
		const none = [undefined, null, '', ' ', 'alex', '@example.com', 4711];
		const several = ['a@b.co, c@d.co', 'a@b.co;c@d.co', 'a@b.co\nc@d.co', '<a@b.co> <c@d.co>'];
		for (const email of [...none, ...several]) expect(await addressOf(email)).toBeUndefined();
	});
});
