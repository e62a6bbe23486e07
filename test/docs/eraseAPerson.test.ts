import { runInNewContext } from 'node:vm';

import { exampleWorkflows } from './support/exampleWorkflows';

// What the search of the example Erase a person finds and learns in executions. In n8n, it runs in
// test/e2e/examples/eraseAPerson.

const PERSON = 'KD-4711';
const TRANSACTION = 'transaction-1';
const PACKAGE = 'n8n-nodes-identity-verification';
const ACTION = `${PACKAGE}.identityVerification`;

const nodes = exampleWorkflows.find(({ file }) => file === 'erase-a-person/search.json')?.nodes;

interface Found {
	is: string;
	label: string;
}

interface State {
	ids: string[];
	known: string[];
	learned: string[];
	found: Found[];
	unread: string[];
}

/** Runs a Code node of the search with what it gets, and what the nodes before it have returned. */
function runCode(name: string, input: object, before: Record<string, object> = {}): State {
	const jsCode = String(nodes?.find((node) => node.name === name)?.parameters.jsCode);
	const $ = (node: string) => {
		const items = node in before ? [{ json: before[node] }] : [];
		return { isExecuted: items.length > 0, first: () => items[0], all: () => items };
	};
	const context = { $, $input: { first: () => ({ json: input }) }, $workflow: { id: 'search' } };
	const items = runInNewContext(`(() => {${jsCode}\n})()`, context) as [{ json: State }];
	return structuredClone(items[0].json);
}

const asked = (person: string) => ({ person, known: [], mayLearn: true, tables: [] });

/** What the search starts with, and what it has learned in a first round. */
function start(person: string, learned?: string[]): State {
	const before = { 'Where to Look': asked(person), 'List the Tables': {} };
	if (!learned) return runCode('From the Start', {}, before);
	return runCode('From the Start', { ...asked(person), learned }, { ...before, 'Read a Part': {} });
}

interface Node {
	type: string;
	parameters?: object;
	disabled?: boolean;
}

/** An execution as n8n's API returns it, in which one node has returned an item. */
const executionOf = (item: object, node: Node = { type: 'webhook' }, more: object = {}) => ({
	id: '17',
	workflowId: 'theirs',
	status: 'success',
	startedAt: '2026-01-05T08:00:12.345Z',
	workflowData: { name: 'Theirs-1', nodes: [{ name: 'Node-1', parameters: {}, ...node }] },
	data: {
		resultData: {
			lastNodeExecuted: 'Node-1',
			runData: { 'Node-1': [{ data: { main: [[item]] } }] },
		},
	},
	...more,
});

/** Looks at an execution. */
const read = (execution: object, person = PERSON, learned: string[] = []): State =>
	runCode(
		"The Executions' IDs",
		{ data: [execution] },
		{ 'Where to Look': { ...asked(person), eraser: 'eraser', ...start(person, learned) } },
	);

const isOf = ({ found }: State) => found.map(({ is }) => is);

describe("an execution is the person's", () => {
	it.each<[string, object]>([
		['a text', { json: { customer: PERSON } }],
		['a text in a list in an object', { json: { list: [{ deep: [PERSON] }] } }],
		['a transaction that was learned', { json: { lookUp: TRANSACTION } }],
		['the name of a file', { json: {}, binary: { file: { fileName: PERSON } } }],
		['an error', { json: {}, error: { description: PERSON } }],
	])('by %s', (_, item) => {
		expect(isOf(read(executionOf(item), PERSON, [TRANSACTION]))).toEqual(['exact']);
	});

	it.each(['kd-4711', ' KD-4711', 'ＫＤ-4711', 'KD-4711\n'])('perhaps, by %j', (text) => {
		expect(isOf(read(executionOf({ json: { customer: text } })))).toEqual(['alike']);
	});

	it('perhaps, by the same number that is no text', () => {
		expect(isOf(read(executionOf({ json: { customer: 123456 } }), '123456'))).toEqual(['alike']);
	});

	it.each<[string, object]>([
		['a longer text', { json: { customer: `${PERSON}1` } }],
		['the name of a field', { json: { [PERSON]: true } }],
	])('not by %s', (_, item) => {
		expect(isOf(read(executionOf(item)))).toEqual([]);
	});

	// Otherwise, a workflow that is called like an ID would be the person.
	it.each(['Theirs-1', 'Node-1'])('not by what only n8n says: %s', (person) => {
		expect(isOf(read(executionOf({ json: {} }), person))).toEqual([]);
	});

	it.each(['accept', '42', '12-34', '٤٢٤٢٤٢'])('by %s only if it is Custom Data', (person) => {
		const learnedToo = [person, TRANSACTION];
		expect(isOf(read(executionOf({ json: { other: person } }), person))).toEqual([]);
		expect(isOf(read(executionOf({ json: { other: person } }), PERSON, learnedToo))).toEqual([]);
		expect(isOf(read(executionOf({ json: { customData: person } }), person))).toEqual(['exact']);
	});

	it.each(['waiting', 'running', 'new', 'unknown'])('and is kept while it is %s', (status) => {
		const execution = executionOf({ json: { a: PERSON } }, undefined, { status });
		expect(isOf(read(execution))).toEqual(['kept']);
	});
});

describe('from an item with the Custom Data of the person, the search', () => {
	const item = {
		json: { customData: PERSON, transactionId: 't-1', reference: 'r-1', hosted: 'h-1' },
	};

	it.each<[string, Node]>([
		['a result', { type: `${PACKAGE}.identityVerificationTrigger` }],
		['a link', { type: ACTION, parameters: { operation: 'createHostedLink' } }],
	])('learns the IDs of %s', (_, node) => {
		expect(read(executionOf(item, node)).learned).toEqual(['t-1', 'r-1', 'h-1']);
	});

	it.each<[string, Node]>([
		['what Download Files was given', { type: ACTION, parameters: { operation: 'downloadFiles' } }],
		['what passes a disabled node', { type: ACTION, disabled: true }],
		[
			'what anybody can send to a trigger',
			{
				type: `${PACKAGE}.identityVerificationTrigger`,
				parameters: { authentication: 'none' },
			},
		],
		['what a webhook says', { type: 'n8n-nodes-base.webhook' }],
	])('learns nothing of %s', (_, node) => {
		expect(read(executionOf(item, node)).learned).toEqual([]);
	});

	it('learns nothing if the Custom Data differ', () => {
		const trigger = { type: `${PACKAGE}.identityVerificationTrigger` };
		const others = { json: { ...item.json, customData: PERSON.toLowerCase(), other: PERSON } };
		expect(read(executionOf(others, trigger)).learned).toEqual([]);
		expect(read(executionOf({ json: { customData: PERSON } }, trigger)).learned).toEqual([]);
	});
});

it.each([
	{ data: undefined, dataTooLargeToDisplay: true },
	{ data: { redactionInfo: { isRedacted: true }, resultData: { runData: {} } } },
	{ data: undefined },
	{ data: { resultData: {} } },
])('names an execution of which n8n shows no data: %j', (more) => {
	expect(read(executionOf({ json: {} }, undefined, more))).toMatchObject({
		found: [],
		unread: ['17'],
	});
});

it.each(['eraser', 'search'])(
	'stops if n8n has saved an execution of its own: %s',
	(workflowId) => {
		const saved = (status: string) => () =>
			read(executionOf({ json: {} }, undefined, { workflowId, status }));
		for (const status of ['success', 'error']) expect(saved(status)).toThrow('n8n saves');
		expect(saved('waiting')).not.toThrow();
	},
);

it('offers names that a list of them can hold, whatever a workflow is called', () => {
	const workflowData = { name: `Ours, "his" & <b>$'</b>`, nodes: [] };
	const { found } = read(executionOf({ json: { a: PERSON } }, undefined, { workflowData }));
	expect(found.map(({ label }) => label)).toEqual([
		'Execution 17 of Ours his b b (2026-01-05 08:00 UTC) has an ID in one of its values',
	]);
});

it.each<[object, string]>([
	[{ other: PERSON, transactionId: TRANSACTION, customData: PERSON }, 'customData'],
	[{ result: { transactionId: TRANSACTION } }, 'transactionId'],
	[{ body: { hosted: TRANSACTION } }, 'hosted'],
	[{ customData: PERSON.toLowerCase(), reference: TRANSACTION }, 'reference'],
	[{ customData: PERSON.toLowerCase() }, 'customData'],
	// What a stranger has called a field is read by nobody.
	[{ 'Call 555-0100': PERSON, constructor: PERSON }, 'one of its values'],
])('says of %j in which field the ID is', (json, field) => {
	const { found } = read(executionOf({ json }), PERSON, [TRANSACTION]);
	expect(found.map(({ label }) => label)).toEqual([
		`Execution 17 of Theirs-1 (2026-01-05 08:00 UTC) has an ID in ${field}`,
	]);
});

it('says of an execution that n8n has not started yet that it has no date', () => {
	const waiting = { status: 'new', startedAt: null };
	const { found } = read(executionOf({ json: { customData: PERSON } }, undefined, waiting));
	expect(found).toMatchObject([
		{ is: 'kept', label: 'Execution 17 of Theirs-1 (not started) has an ID in customData' },
	]);
});
