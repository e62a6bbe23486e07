import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { hostedLink } from '../../../dev/stack/link';
import { itemsOf, outputsTaken } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { filesFolder } from '../../../dev/stack/stack';
import { useTable } from './support/dataTable';
import { useExample, usePublished } from './support/useExample';
import { fixture } from '../../kit/data/fixtures';
import { openStack } from '../../kit/n8n/stack';
import { untilStatus } from '../../kit/n8n/waitingFlow';
import { branchNode, failNode } from '../../kit/n8n/workflow';

describe('Route decisions', () => {
	const example = usePublished('route-decisions');
	const { outside, takeSucceeded, verify } = example;

	it.each([
		['accept', undefined, []],
		['lowConfidence', 'LOW_TEXT_CONFIDENCE', undefined],
		['aml', 'AML_SANCTION', ['AML_SANCTION']],
	])('tells Slack and the CRM what belongs there: %s', async (scenario, warning, warningCodes) => {
		for (const customData of ['applicant 1/2', '']) {
			const { decision, reference, transactionId } = await verify(customData, scenario);
			await takeSucceeded();

			const id = customData || reference;
			const text = expect.stringMatching(
				`Verification of ${id}: \\*${decision}\\*\nWarnings: ${warning}.*\nTransaction: ${transactionId}`,
			);
			const message = { request: 'POST /slack/services/your/incoming/webhook', body: { text } };
			const change = {
				request: `PUT /crm/api/applicants/${encodeURIComponent(id)}`,
				body: { verification: decision, transactionId, warningCodes, unreadable: [] },
			};
			const expected = [...(warning ? [message] : []), ...(warningCodes ? [change] : [])];
			const posts = outside.takePosts().sort((a, b) => a.request.localeCompare(b.request));
			expect(posts).toEqual(expected);
		}
	});

	it('never says that there are no warnings when they could not be read', async () => {
		const warning = 'not a list';
		await example.sendResult(fixture('webhook-reject-aml', { customData: 'applicant-3', warning }));
		await takeSucceeded();

		const posts = outside.takePosts().sort((a, b) => a.request.localeCompare(b.request));
		expect(posts.map(({ body }) => body)).toEqual([
			{ text: expect.stringMatching(/\nWarnings: parts of the result could not be read: see/) },
			expect.objectContaining({ warningCodes: [], unreadable: ['warning'] }),
		]);
	});

	it('gets a result that the CRM refused for good there by Retry in the executions', async () => {
		outside.answers.set('PUT /crm/api/applicants/applicant-6', { status: 503, body: {} });
		await verify('applicant-6', 'accept');
		const { id, status } = await example.workflow.takeExecution();
		expect(status).toBe('error');
		expect(outside.takePosts()).toHaveLength(3);

		outside.answers.clear();
		expect(await example.api.retryExecution(id)).toMatchObject({ status: 'success' });

		expect(outside.takePosts()).toHaveLength(1);
		await example.workflow.takeExecution();
	});
});

describe('Audit file', () => {
	const archive = join(filesFolder(openStack().folder), 'archive');
	const example = usePublished('audit-file', {
		replace: { '/home/node/.n8n-files': archive },
	});

	beforeEach(async () => {
		await rm(archive, { recursive: true, force: true });
		await mkdir(archive);
	});

	it.each(['accept', 'lowConfidence', 'aml'])('stores the report of: %s', async (scenario) => {
		const { transactionId } = await example.verify('applicant-1', scenario);
		await example.takeSucceeded();

		const stored = await readdir(archive);
		expect(stored).toEqual([expect.stringMatching(`^audit-${transactionId}-.+\\.pdf$`)]);
		const content = await readFile(join(archive, stored[0] ?? ''));
		expect(content.subarray(0, 5).toString()).toBe('%PDF-');
		expect(content.subarray(-8).toString()).toContain('%%EOF');
	});

	it('stores two reports of one name, which is too long for a disk', async () => {
		const outputFile: IDataObject[] = [];
		for (const scenario of ['accept', 'aml']) {
			const { transactionId } = await example.verify('applicant-1', scenario);
			await example.takeSucceeded();
			outputFile.push({
				fileName: `${'報告'.repeat(45)}.pdf`,
				fileUrl: `${example.sandbox.filesUrl}/reports/${transactionId}.pdf`,
			});
		}

		await example.sendResult(fixture('webhook-accept', { transactionId: 'both', outputFile }));
		await example.takeSucceeded();

		const stored = (await readdir(archive)).filter((name) => name.startsWith('audit-both-報告'));
		expect(stored).toHaveLength(2);
		const [first, second] = await Promise.all(
			stored.map(async (name) => await readFile(join(archive, name), 'latin1')),
		);
		expect(first).toMatch(/^%PDF-/);
		expect(second).toMatch(/^%PDF-/);
		expect(first).not.toBe(second);
	});

	it('stores nothing when the profile has no audit report', async () => {
		await example.directResults({ auditReport: false });
		await example.verify('applicant-1', 'accept');
		await example.takeSucceeded();

		expect(await readdir(archive)).toEqual([]);
	});

	it('stores the files that could be read, and tells the team of the others', async () => {
		await example.verify('applicant-1', 'accept');
		const [{ files } = {}] = itemsOf(await example.takeSucceeded(), 'Verification Completed');
		const reports = (files as object[]).filter((file) => 'fileUrl' in file && !('image' in file));
		await rm(archive, { recursive: true });
		await mkdir(archive);

		const changes = { transactionId: null, hosted: 'a/b', outputFile: [...reports, 'no file'] };
		await example.sendResult(fixture('webhook-accept', changes as IDataObject));
		const execution = await example.takeSucceeded();

		expect(await readdir(archive)).toEqual([expect.stringMatching(/^audit-a_b-.+\.pdf$/)]);
		expect(itemsOf(execution, 'Tell the Team')).toEqual([{ note: expect.stringContaining('a/b') }]);
	});
});

describe('Wait for the result', () => {
	const example = useExample('wait-for-the-result');
	const { lastSteps, sandbox, takeSucceeded } = example;

	/** Starts an execution, and returns its link when it waits. */
	async function wanted(applicantId: string): Promise<string> {
		const { body } = await example.workflow.send('Verification Wanted', { applicantId });
		const { url } = hostedLink.parse(JSON.parse(body));
		const [newest] = await example.workflow.list();
		await untilStatus(example.api, String(newest?.id), 'waiting');
		return url;
	}

	/** What a result that comes too late leads to. */
	const toTheTeam = (customData: string, decision: string) => ({
		'Tell the Team': [
			{ decision, customData, notDelivered: expect.stringMatching(/gone on without it/) },
		],
	});

	it.each([
		['accept', 'Open the Account', { transactionId: expect.any(String) }],
		['lowConfidence', 'Ask the Team', { warnings: 'LOW_TEXT_CONFIDENCE, MISSING_EYE_COLOR' }],
		['aml', 'Decline', { warnings: 'AML_SANCTION' }],
	])('resumes the workflow with %s, and finds earlier items', async (scenario, step, item) => {
		await example.start();
		const { decision, ...webhook } = await sandbox.finishLink(
			await wanted('applicant-1'),
			scenario,
		);

		expect(lastSteps(await takeSucceeded())).toEqual({
			[step]: [{ applicantId: 'applicant-1', decision, ...item }],
		});

		await sandbox.resend({ decision, ...webhook });
		expect(lastSteps(await takeSucceeded())).toEqual(toTheTeam('applicant-1', decision));
	});

	it('leads to a reminder without a result, and a late result to the team', async () => {
		// In place of the seven days.
		await example.start({
			'"waitUpTo": 7': '"waitUpTo": 0.5',
			'"waitUnit": "days"': '"waitUnit": "minutes"',
		});
		const url = await wanted('applicant-5');

		const execution = await takeSucceeded();
		expect(outputsTaken(execution, 'Wait for the Result')).toEqual([0]);
		expect(lastSteps(execution)).toEqual({
			'Send a Reminder': [{ applicantId: 'applicant-5', url }],
		});

		await sandbox.finishLink(url, 'aml');
		expect(lastSteps(await takeSucceeded())).toEqual(toTheTeam('applicant-5', 'reject'));
	});
});

describe('Handle each result once', () => {
	const NOTED = 'Note It as Handled';
	const WAIT = 'Wait for It';
	const COPIES = 10;
	const ROUNDS = 4;
	/** How long a copy waits for another one that doesn't end, in place of ten minutes. */
	const LEASE_SECONDS = 8;
	const LEASE = { 'minutes: 10': `seconds: ${LEASE_SECONDS}` };
	let ownStep = branchNode;
	const example = useExample('skip-repeated-results', {
		nodes: (nodes) =>
			nodes.map((node) => (node.name.startsWith('Your Steps') ? ownStep(node.name) : node)),
	});
	const table = useTable(example.api, 'skip-repeated-results');

	/** Publishes the example, with these nodes in place of the user's own steps. */
	async function start(step = branchNode, replace: Record<string, string> = {}): Promise<void> {
		ownStep = step;
		await example.start({ ...LEASE, ...replace });
	}

	beforeEach(async () => {
		await table.remove();
		expect(await example.run('Set Up Once')).toMatchObject({ status: 'success' });
		await start();
	});

	/** Lets results arrive, one after the other. */
	async function receive(...results: IDataObject[]): Promise<Execution[]> {
		const executions: Execution[] = [];
		for (const result of results) {
			await example.sendResult(result);
			executions.push(await example.takeSucceeded());
		}
		return executions;
	}

	const isHandled = ({ data }: Execution) => NOTED in data;

	const handled = async (...results: IDataObject[]) => (await receive(...results)).map(isHandled);

	const resultOf = (changes: IDataObject = {}) =>
		fixture('webhook-accept', { transactionId: randomUUID(), ...changes });

	it.each([
		['review', 'Your Steps for a Review', {}],
		['accept', 'Your Steps for an Accept', {}],
		['reject', 'Your Steps for a Reject', {}],
		// Not to be trusted, because the service says that the request failed.
		['accept', 'Your Steps for a Review', { success: false }],
	])('handles a result once: %s at %s', async (decision, step, changes) => {
		await start(branchNode, { '"decisionOnly"': '"raw"' });
		const result = resultOf({ decision, ...changes });
		const executions = await receive(result, result);

		const steps = executions.map(({ data }) =>
			Object.keys(data).filter((name) => name.startsWith('Your Steps') || name === WAIT),
		);
		expect(steps).toEqual([[step], []]);
		expect(itemsOf(executions[0] as Execution, step)).toEqual([expect.objectContaining(result)]);
		expect(await table.rows()).toEqual([
			expect.objectContaining({
				result: `${String(result.transactionId)} ${decision}`,
				state: 'handled',
			}),
		]);
	});

	it('handles a result once of which many copies arrive at the same moment', async () => {
		for (let round = 0; round < ROUNDS; round += 1) {
			const result = resultOf();
			await Promise.all(
				Array.from({ length: COPIES }, async () => await example.sendResult(result)),
			);
			const executions = await example.workflow.takeExecutions(COPIES);

			expect(executions.map(({ status }) => status)).toEqual(Array(COPIES).fill('success'));
			expect(executions.filter(isHandled)).toHaveLength(1);
		}
		const rows = await table.rows();
		expect(rows.map(({ state }) => state)).toEqual(Array(ROUNDS).fill('handled'));
	});

	it('lets a copy through when the steps for the first one have failed, but not before', async () => {
		const result = resultOf();
		await start(failNode);
		await example.sendResult(result);
		expect(await example.workflow.takeExecution()).toMatchObject({ status: 'error' });
		await start();

		const [copy] = await receive(result);

		expect(Object.keys(copy?.data ?? {})).toEqual(expect.arrayContaining([WAIT, NOTED]));
		expect((await table.rows()).map(({ state }) => state)).toEqual(['started', 'handled']);
		expect(await handled(result)).toEqual([false]);
	});

	it('takes another decision of a transaction for a result of its own', async () => {
		const review = resultOf({ decision: 'review' });

		expect(await handled(review, { ...review, decision: 'accept' }, review)).toEqual([
			true,
			true,
			false,
		]);
	});

	it.each([
		['the link where there is no transaction', { transactionId: null, hosted: 'link-1' }, false],
		['nothing where there is neither', { transactionId: null, hosted: null }, true],
	])('compares %s', async (_, changes, isHandledAgain) => {
		const result = resultOf(changes);

		expect(await handled(result, result)).toEqual([true, isHandledAgain]);
	});

	it('handles a result whose steps failed by Retry, once', async () => {
		const result = resultOf();
		await start(failNode);
		await example.sendResult(result);
		const failed = await example.workflow.takeExecution();
		await start();

		const retried = await example.api.retryExecution(failed.id, true);

		expect(Object.keys(retried.data)).toContain(NOTED);
		await example.workflow.takeExecutions();
		expect(await handled(result)).toEqual([false]);
	});
});
