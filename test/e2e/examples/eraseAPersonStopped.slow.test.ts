import { randomUUID } from 'node:crypto';

import pMap from 'p-map';
import { z } from 'zod/v4';

import { AS_BACKEND, BACKEND_CREDENTIAL } from '../../../dev/stack/backend';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { startOutside } from '../../../dev/stack/outside';
import type { Outside } from '../../../dev/stack/outside';
import { poll } from '../../../dev/stack/poll';
import { apiKeyCredential, apiUrlOf } from '../../../dev/stack/publicApi';
import { fixture } from '../../kit/data/fixtures';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { MANY_EVENTS, useOwnN8n } from '../../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { DEADLINE } from '../../kit/n8n/waitingFlow';
import { Traces } from '../support/traces';
import { DataTable } from './support/dataTable';
import { ERASER, REQUESTS, apiAddress, approved, requestIn } from './support/eraser';
import { daysAgo } from './support/mornings';
import { waitBefore } from './support/waitBefore';

const SECRET = 'secret-of-the-examples';
const TRIGGER = 'Verification Completed';

/** Examples that every result goes through, and their tables. */
const TABLES: Record<string, string> = {
	'case-list': 'Verification case list',
	'review-desk': 'Review desk: cases',
	'weekly-report': 'Verification report',
	'skip-repeated-results': 'Handled results',
};
/** In these, an execution waits for each person. */
const WAITING = { result: 'wait-for-the-result', answer: 'manual-review' };

/** What nobody else has, in the execution of a result. */
interface Person {
	customData: string;
	transactionId: string;
	hosted: string;
	lastName: string;
}

const somebody = (customData = `P-${randomUUID()}`): Person => ({
	customData,
	transactionId: randomUUID(),
	hosted: randomUUID(),
	lastName: `Name-${randomUUID()}`,
});

/** n8n deletes what it has kept of executions that aren't saved every minute, not every 15. */
const SETTINGS = { ...MANY_EVENTS, EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL: '1' };
const n8n = useOwnN8n(SETTINGS);
const sandboxInN8n = useSandboxInN8n(n8n, SECRET);
let outside: Outside;
const tables: Record<string, DataTable> = {};
let requests: DataTable;
let apiKey = '';
let credentials: Record<string, string> = {};

/** Those who are erased, each with another stop; and those whose IDs are nearly the same. */
const ERASED = Array.from({ length: 5 }, () => somebody());
const SIMILAR = ERASED.flatMap(({ customData }) =>
	[`${customData}1`, customData.toLowerCase(), customData.slice(0, -1)].map(somebody),
);
const OTHERS = [...SIMILAR, ...Array.from({ length: 30 }, () => somebody())];

const publish = async (name: string, replace = {}) =>
	await LiveWorkflow.start(
		n8n.api,
		await readExample(`${name}/workflow.json`, { credentials, replace }, outside.addresses),
	);

beforeAll(async () => {
	const { api } = n8n;
	outside = await startOutside(0);
	const key = await apiKeyCredential(api);
	apiKey = String(key.data.apiKey);
	credentials = {
		identityVerificationApi: sandboxInN8n.credentialId,
		smtp: await api.saveCredential(outside.credential),
		httpHeaderAuth: await api.saveCredential(BACKEND_CREDENTIAL),
		n8nApi: await api.saveCredential(key),
	};
	requests = new DataTable(api, ERASER, { tableName: REQUESTS });
	await requests.create();
	for (const [name, tableName] of Object.entries(TABLES)) {
		tables[name] = new DataTable(api, name, { tableName });
		await tables[name].create();
	}
	const live = await pMap(
		[...Object.keys(TABLES), WAITING.answer],
		async (name) => await publish(name),
	);
	const waiting = await publish(WAITING.result);
	await pMap(
		[...ERASED, ...OTHERS],
		async (person) => {
			for (const workflow of live) {
				const body = resultOf(person);
				const { status } = await workflow.send(TRIGGER, body, { query: `?secret=${SECRET}` });
				expect(status).toBe(200);
			}
			await waiting.send(
				'Verification Wanted',
				{ applicantId: person.customData },
				{ headers: AS_BACKEND },
			);
		},
		{ concurrency: 4 },
	);
	for (const workflow of live) await untilQuiet(workflow);
	await tables['review-desk']?.change('state', 'open', { state: 'accept' });
});

afterAll(async () => await outside.close());

/** A result that has a name of its own. */
function resultOf({ lastName, ...ids }: Person): object {
	const body = JSON.stringify(fixture('webhook-review', ids)).replaceAll('Alvarsson', lastName);
	return JSON.parse(body) as object;
}

async function untilQuiet(workflow: LiveWorkflow): Promise<void> {
	const isQuiet = async () =>
		(await workflow.list()).every(({ status }) => !['new', 'running'].includes(status)) ||
		undefined;
	await poll(isQuiet, { what: `${workflow.file.name} to be quiet`, ...DEADLINE });
}

const page = z.object({
	data: z.array(z.object({ id: z.string(), workflowId: z.string(), data: z.unknown() })),
	nextCursor: z.string().nullable(),
});

/** All executions of other workflows than the eraser, as n8n's API shows them, by their IDs. */
async function executions(): Promise<Map<string, string>> {
	const found = new Map<string, string>();
	let cursor: string | null = '';
	while (cursor !== null) {
		const query = `includeData=true&limit=100&cursor=${cursor}`;
		const answer = await fetchN8n(`${apiUrlOf(n8n.api)}/executions?${query}`, {
			headers: { 'X-N8N-API-KEY': apiKey },
		});
		const { data, nextCursor } = page.parse(await answer.json());
		const others = data.filter(({ workflowId }) => workflowId !== 'eraseAPerson0001');
		for (const execution of others) found.set(execution.id, JSON.stringify(execution.data));
		cursor = nextCursor;
	}
	return found;
}

const isOf = ({ customData, transactionId, hosted }: Person, text: string) =>
	[customData, transactionId, hosted].some((id) => text.includes(JSON.stringify(id)));

/** All that there is of everybody, but of those who are left out. */
async function everything(leftOut: Person[] = []): Promise<unknown> {
	const isKept = (text: string) => !leftOut.some((person) => isOf(person, text));
	const rows = await Promise.all(
		Object.values(tables).map(async (table) => await table.wholeRows()),
	);
	return {
		executions: [...(await executions())].filter(([, data]) => isKept(data)),
		rows: rows.map((all) =>
			all.filter((row) => !leftOut.some((person) => rowIsOf(person, Object.values(row)))),
		),
	};
}

const rowIsOf = ({ customData, transactionId, hosted }: Person, values: unknown[]) =>
	[customData, transactionId, hosted, `${transactionId} review`].some((id) => values.includes(id));

/** Adds an approved request, and returns its ID. */
async function requestFor({ customData }: Person): Promise<string> {
	await requests.add(approved(customData));
	return String((await requests.wholeRows()).at(-1)?.id);
}

const runEraser = async () => await n8n.api.runWorkflow('eraseAPerson0001', 'Every Ten Minutes');

type State = Record<string, unknown>;

it('is full', async () => {
	const { rows } = (await everything()) as { rows: unknown[][] };
	expect(rows.map(({ length }) => length)).toEqual([50, 50, 50, 50]);
	expect((await executions()).size).toBe(300);
});

it.each<[string, string, (person: Person, row: State) => Promise<boolean>, number]>([
	[
		'after the search',
		'Keep All IDs',
		async (_, { nextTry }) => await Promise.resolve(String(nextTry) > daysAgo(0)),
		0,
	],
	[
		'before it deletes anything',
		'What Is Held',
		async (_, { erased }) => await Promise.resolve(Boolean(erased)),
		1,
	],
	[
		'after the executions',
		'Delete Rows',
		async (person) => ![...(await executions()).values()].some((data) => isOf(person, data)),
		2,
	],
	[
		'after the rows',
		'Search After',
		async ({ customData }) =>
			!(await tables['case-list']?.rows())?.some((row) => row.customData === customData),
		3,
	],
	[
		'after the certificate',
		'It Is Erased',
		async () => await Promise.resolve(outside.mails.length > 0),
		4,
	],
])('is killed %s, and then comes to the same end', async (_, step, isThere, index) => {
	const person = ERASED[index] ?? somebody();
	const before = await everything([person]);
	outside.mails.length = 0;
	await publish(ERASER, { ...apiAddress(n8n.api), ...waitBefore(step, 60) });
	const id = await requestFor(person);
	await runEraser();
	const isAtStep = async () => {
		const row = (await requests.wholeRows()).find((one) => String(one.id) === id) ?? {};
		return (await isThere(person, row)) || undefined;
	};
	await poll(isAtStep, { what: step, ...DEADLINE });
	await n8n.crash();

	await publish(ERASER, apiAddress(n8n.api));
	await requests.change('state', 'approved', { nextTry: daysAgo(1) });
	await runEraser();
	expect(await requestIn(requests, id, 'erased')).toMatchObject({ ids: '' });

	expect(await everything()).toEqual(before);
	const certificates = outside.mails.filter(({ subject }) => subject === `Erasure ${id}`);
	expect(certificates).toHaveLength(step === 'It Is Erased' ? 2 : 1);
	const [{ text = '' } = {}] = certificates;
	for (const table of Object.values(TABLES)) expect(text).toContain(`${table} 1`);
});

it('leaves nothing of those who are erased, not even in the file of the database', async () => {
	const values = ERASED.flatMap(({ transactionId, hosted, lastName }) => [
		transactionId,
		hosted,
		lastName,
	]);
	const areGone = async () => {
		const left = (await Traces.in(n8n.folder)).find(values);
		return left.some((trace) => trace.endsWith('rows of the database')) ? undefined : true;
	};
	await poll(areGone, { what: 'n8n to forget them', timeoutMs: 150_000, intervalMs: 5_000 });
	await n8n.restart({ ...SETTINGS, DB_SQLITE_VACUUM_ON_STARTUP: 'true' });
	const traces = await Traces.in(n8n.folder);

	// SQLite writes over its write-ahead log, but doesn't clear it.
	expect(traces.find(values).filter((trace) => !trace.endsWith('-wal'))).toEqual([]);
	expect(traces.missing(OTHERS.map(({ transactionId }) => transactionId))).toEqual([]);
});

it('names executions whose data n8n holds back because they are too large', async () => {
	const person = somebody('P-too-large');
	const workflow = await publish('weekly-report');
	await workflow.send(TRIGGER, resultOf(person), { query: `?secret=${SECRET}` });
	await untilQuiet(workflow);
	const theirs = [...(await executions())].filter(([, data]) => isOf(person, data));
	await n8n.restart({ ...SETTINGS, EXECUTIONS_DATA_MAX_DISPLAY_SIZE: '1' });
	await publish(ERASER, apiAddress(n8n.api));
	outside.mails.length = 0;
	const id = await requestFor(person);
	await runEraser();
	await requestIn(requests, id, 'erased');

	const [{ text = '' } = {}] = outside.mails;
	const [, unread = ''] = /Executions that couldn't be read: ([\d, ]+)/.exec(text) ?? [];
	expect(theirs).toHaveLength(1);
	expect(unread.split(', ')).toContain(theirs[0]?.[0]);
});
