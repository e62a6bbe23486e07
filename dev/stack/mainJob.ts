import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod/v4';

import { hostedLink } from './link';
import { DECISIONS } from '../../nodes/IdentityVerification/contract/vocabulary';
import type { Decision } from '../../nodes/IdentityVerification/contract/vocabulary';
import { accepted, finishOnPage } from '../sandbox/client';
import type { N8nApi } from './api';
import { AS_BACKEND } from './backend';
import { STARTERS } from './examples';
import { isFinished, itemsOf, nodeOfType, outputsTaken } from './execution';
import type { Execution } from './execution';
import { fetchN8n } from './fetchN8n';
import { SPECIMEN } from './paths';
import { poll } from './poll';
import type { PollOptions } from './poll';

const TIMEOUT_MS = 120_000;

const HOSTED_JOBS: { scenario: string; expected: Decision }[] = [
	{ scenario: 'accept', expected: 'accept' },
	{ scenario: 'lowConfidence', expected: 'review' },
	{ scenario: 'aml', expected: 'reject' },
];

/** What became of one verification, read from n8n's executions. */
export interface Row {
	job: string;
	expected: string;
	/** The branch that ran, or the decision in the output; empty if nothing arrived. */
	got: string;
	executionId: string;
	status: string;
}

export interface MainJobOptions {
	/** How long to wait for the execution that each finished link starts. */
	linkTimeoutMs?: number;
	signal?: AbortSignal;
}

type Found = Pick<Row, 'got' | 'executionId' | 'status'>;

export function isRight({ expected, got, status }: Row): boolean {
	return got === expected && status === 'success';
}

/**
 * Does what the package is for, through the example workflows: three people get a link and finish
 * it, one each as accept, review and reject, and a document is scanned.
 */
export async function runMainJob(api: N8nApi, options: MainJobOptions = {}): Promise<Row[]> {
	const rows: Row[] = [];
	for (const { scenario, expected } of HOSTED_JOBS) {
		const found = await attempt(async () => await verifyByLink(api, scenario, options));
		rows.push({ job: `Hosted link finished as ${expected}`, expected, ...found });
	}
	const scan = await attempt(async () => await scanSpecimen(api, options));
	rows.push({ job: 'Scan of a specimen document', expected: 'accept', ...scan });
	return rows;
}

/** A failed job is one wrong row, not the end: the other rows are wanted too. */
async function attempt(job: () => Promise<Found>): Promise<Found> {
	try {
		return await job();
	} catch (error) {
		if (error instanceof Error && error.name === 'AbortError') throw error;
		return { got: '', executionId: '', status: error instanceof Error ? error.message : 'failed' };
	}
}

async function verifyByLink(
	api: N8nApi,
	scenario: string,
	{ linkTimeoutMs = TIMEOUT_MS, signal }: MainJobOptions,
): Promise<Found> {
	const customData = `applicant-${randomUUID()}`;
	const { url } = hostedLink.parse(
		await callWebhook(api, 'create-hosted-link', JSON.stringify({ customData }), {
			'content-type': 'application/json',
		}),
	);
	await accepted(finishOnPage(url, scenario));
	const limits = { timeoutMs: linkTimeoutMs, signal };
	const execution = await findExecution(api, STARTERS.routeDecisions, limits, (candidate) =>
		itemsOf(candidate, triggerOf(candidate)).some((json) => json.customData === customData),
	);
	const branches = outputsTaken(execution, triggerOf(execution));
	const got = branches.map((output) => DECISIONS[output]).join(', ');
	return { got, executionId: execution.id, status: execution.status };
}

async function scanSpecimen(api: N8nApi, { signal }: MainJobOptions): Promise<Found> {
	const form = new FormData();
	form.set(
		'document',
		new Blob([await readFile(SPECIMEN)], { type: 'image/jpeg' }),
		'specimen.jpg',
	);
	const before = new Set((await api.listExecutions(STARTERS.scanUpload)).map(({ id }) => id));
	// Its answer is not looked at: what counts is what n8n has stored.
	await callWebhook(api, 'scan-upload', form).catch(() => undefined);
	const execution = await findExecution(
		api,
		STARTERS.scanUpload,
		{ timeoutMs: TIMEOUT_MS, signal },
		({ id }) => !before.has(id),
	);
	const [json] = itemsOf(execution, nodeOfType(execution, 'identityVerification'));
	return { got: String(json?.decision ?? ''), executionId: execution.id, status: execution.status };
}

async function callWebhook(
	{ url }: N8nApi,
	path: string,
	body: string | FormData,
	headers: Record<string, string> = {},
): Promise<unknown> {
	const answer = await fetchN8n(`${url}/webhook/${path}`, {
		method: 'POST',
		headers: { ...AS_BACKEND, ...headers },
		body,
	});
	if (answer.ok) return await answer.json();
	const { message } = z.object({ message: z.string() }).parse(await answer.json());
	throw new Error(`n8n answered ${path} with ${answer.status}: ${message}`);
}

async function findExecution(
	api: N8nApi,
	workflowId: string,
	limits: Pick<PollOptions, 'timeoutMs' | 'signal'>,
	isWanted: (execution: Execution) => boolean,
): Promise<Execution> {
	const strange = new Set<string>();
	const ask = async () => {
		for (const listed of (await api.listExecutions(workflowId)).filter(isFinished)) {
			if (strange.has(listed.id)) continue;
			const execution = await api.getExecution(listed.id);
			if (isWanted(execution)) return execution;
			strange.add(listed.id);
		}
		return undefined;
	};
	return await poll(ask, { what: 'an execution', ...limits });
}

function triggerOf(execution: Execution): string {
	return nodeOfType(execution, 'identityVerificationTrigger');
}
