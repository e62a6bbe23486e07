import pMap from 'p-map';

import type { ListedExecution, N8nApi, WorkflowFile } from '../../../dev/stack/api';
import { isFinished } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { poll } from '../../../dev/stack/poll';
import { webhookPath } from './workflow';

const READERS = 4;
const TIMEOUT_MS = 180_000;

export interface Answer {
	status: number;
	body: string;
}

/** A workflow that is active in n8n, and what tests do with it. */
export class LiveWorkflow {
	private seen = new Set<string>();

	private constructor(
		private readonly api: N8nApi,
		readonly file: WorkflowFile,
		private readonly webhookUrl: string,
	) {}

	/**
	 * Saves and activates a workflow. Rejects with n8n's message if it can't be activated.
	 * @param webhookUrl where webhooks arrive, without a trailing slash
	 */
	static async start(api: N8nApi, file: WorkflowFile, webhookUrl = api.url): Promise<LiveWorkflow> {
		await api.saveWorkflow(file);
		await api.activate(file.id);
		return new LiveWorkflow(api, file, webhookUrl);
	}

	/** Production URL of a trigger or Webhook node. */
	url(nodeName: string): string {
		return this.webhookUrl + webhookPath(this.file, nodeName);
	}

	/** Sends JSON to a trigger or Webhook node; a text is sent as it is. */
	async send(
		nodeName: string,
		body: object | string,
		{ query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
	): Promise<Answer> {
		const response = await fetchN8n(`${this.url(nodeName)}${query}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: typeof body === 'string' ? body : JSON.stringify(body),
		});
		return { status: response.status, body: await response.text() };
	}

	/**
	 * The executions that started since the last call, oldest first, when all have ended.
	 * @param atLeast how many have to arrive: n8n 1 answers before it lists an execution
	 */
	async takeExecutions(atLeast = 0): Promise<Execution[]> {
		const options = { what: 'all executions to end', timeoutMs: TIMEOUT_MS };
		const fresh = await poll(async () => {
			const listed = await this.list();
			const ids = listed.map(({ id }) => id).filter((id) => !this.seen.has(id));
			return listed.every(isFinished) && ids.length >= atLeast ? ids.reverse() : undefined;
		}, options);
		for (const id of fresh) this.seen.add(id);
		const read = async (id: string) => await this.api.getExecution(id);
		return await pMap(fresh, read, { concurrency: READERS });
	}

	/** The one execution that started since the last call. */
	async takeExecution(): Promise<Execution> {
		const executions = await this.takeExecutions(1);
		const [execution] = executions;
		if (execution && executions.length === 1) return execution;
		throw new Error(`There are ${executions.length} new executions instead of one.`);
	}

	/** All executions, newest first. */
	async list(): Promise<ListedExecution[]> {
		const found = new Map<string, ListedExecution>();
		let known: number;
		let oldest: string | undefined;
		do {
			known = found.size;
			for (const listed of await this.api.listExecutions(this.file.id, oldest)) {
				found.set(listed.id, listed);
				oldest = listed.startedAt ?? oldest;
			}
		} while (found.size > known);
		return [...found.values()];
	}
}
