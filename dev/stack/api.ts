import { z } from 'zod/v4';

import { executionAnswer, isFinished, STATUSES } from './execution';
import type { Execution } from './execution';
import { poll } from './poll';
import { absent, RestClient } from './rest';

const ACTIVATION_TIMEOUT_MS = 90_000;
const RETRY_TIMEOUT_MS = 180_000;

const identified = z.object({ id: z.string() });

/** A workflow as it's exported to a file and imported from it. */
export const workflowFile = z
	.object({
		id: z.string(),
		name: z.string(),
		nodes: z.array(
			z
				.object({
					name: z.string(),
					type: z.string(),
					webhookId: z.string().optional(),
					parameters: z.record(z.string(), z.unknown()),
					credentials: z
						.record(z.string(), z.object({ id: z.string().nullable(), name: z.string() }))
						.optional(),
				})
				.passthrough(),
		),
	})
	.passthrough();
export type WorkflowFile = z.infer<typeof workflowFile>;

const savedWorkflow = z.object({ id: z.string(), versionId: z.string(), active: z.boolean() });

const publicationStatus = z.object({
	liveVersionId: z.string().nullable(),
	pendingVersionId: z.string().nullable(),
	triggers: z.array(z.object({ status: z.string(), errorMessage: z.string().nullable() })),
});

const credential = z.object({ id: z.string(), name: z.string(), type: z.string() });

const listedExecution = z.object({
	id: z.string(),
	status: z.string(),
	startedAt: z.string().nullish(),
});
export type ListedExecution = z.infer<typeof listedExecution>;

const executionList = z.object({ results: z.array(listedExecution) });

const credentialTest = z.object({ status: z.string(), message: z.string().optional() });
export type CredentialTest = z.infer<typeof credentialTest>;

export interface CredentialValues {
	name: string;
	type: string;
	data: Record<string, string | number | boolean>;
}

/** What a person does in n8n's editor, as calls. */
export class N8nApi extends RestClient {
	/** Creates the credential, or changes the one of that name and type. Returns its ID. */
	async saveCredential(values: CredentialValues): Promise<string> {
		const { name, type } = values;
		const all = await this.get('/credentials', z.array(credential));
		const existing = all.find((known) => known.name === name && known.type === type);
		const saved = existing
			? await this.patch(`/credentials/${existing.id}`, values, identified)
			: await this.post('/credentials', values, identified);
		return saved.id;
	}

	/** Runs the test of a credential type on values, as the editor does on saving. */
	async testCredential(id: string, values: CredentialValues): Promise<CredentialTest> {
		return await this.post('/credentials/test', { credentials: { id, ...values } }, credentialTest);
	}

	async hasWorkflow(id: string): Promise<boolean> {
		return (await this.get(this.pathOf(id), savedWorkflow).catch(absent)) !== undefined;
	}

	/** Creates the workflow, or replaces the one with its ID. */
	async saveWorkflow(workflow: WorkflowFile): Promise<void> {
		const { id } = workflow;
		if (await this.hasWorkflow(id)) {
			await this.patch(this.pathOf(id), workflow, identified);
		} else {
			const saved = await this.post('/workflows', { active: false, ...workflow }, identified);
			this.session.workflowIds[id] = saved.id;
		}
	}

	/**
	 * Publishes the workflow as it's saved. Resolves when its triggers are listening: n8n 1 answers
	 * only then, and has no status to ask for.
	 */
	async activate(id: string): Promise<void> {
		const path = this.pathOf(id);
		const { versionId } = await this.get(path, savedWorkflow);
		await this.post(`${path}/activate`, { versionId }, identified);
		const options = { what: `workflow ${id} to listen`, timeoutMs: ACTIVATION_TIMEOUT_MS };
		await poll(async () => {
			const status = await this.get(`${path}/publication-status`, publicationStatus).catch(absent);
			if (!status) return true;
			const problem = status.triggers.find(({ errorMessage }) => errorMessage)?.errorMessage;
			if (status.pendingVersionId !== null) return undefined;
			if (problem) throw new Error(`n8n can't activate workflow ${id}: ${problem}`);
			return status.liveVersionId === versionId ? true : undefined;
		}, options);
	}

	async deactivate(id: string): Promise<void> {
		await this.post(`${this.pathOf(id)}/deactivate`, {}, identified);
	}

	/** Starts a workflow from a trigger, as *Execute workflow* does. Returns the execution's ID. */
	async runWorkflow(id: string, triggerName: string): Promise<string> {
		const path = this.pathOf(id);
		// n8n 1 runs what is sent: its editor may hold unsaved changes.
		const workflowData = await this.get(path, z.unknown());
		const run = { workflowData, triggerToStartFrom: { name: triggerName } };
		const started = z.object({ executionId: z.string() });
		return (await this.post(`${path}/run`, run, started)).executionId;
	}

	/**
	 * The workflow's newest executions, 100 at most, newest first; with a time only those that
	 * started no later. Asks for all statuses by name: without, n8n reads those that run and those
	 * that ended in two queries, and one that ends in between is in neither.
	 */
	async listExecutions(workflowId: string, startedBefore?: string): Promise<ListedExecution[]> {
		const filter = JSON.stringify({
			workflowId: this.idOf(workflowId),
			status: STATUSES,
			startedBefore,
		});
		const query = `filter=${encodeURIComponent(filter)}&limit=100`;
		return (await this.get(`/executions?${query}`, executionList)).results;
	}

	async getExecution(id: string): Promise<Execution> {
		return await this.get(`/executions/${id}`, executionAnswer);
	}

	/**
	 * Runs a failed execution again, as *Retry* in the executions list does, and waits for its end.
	 * @param loadWorkflow whether to use the currently saved workflow
	 */
	async retryExecution(id: string, loadWorkflow = false): Promise<Execution> {
		const retry = await this.post(`/executions/${id}/retry`, { loadWorkflow }, identified);
		const options = { what: `execution ${retry.id} to finish`, timeoutMs: RETRY_TIMEOUT_MS };
		return await poll(async () => {
			const execution = await this.getExecution(retry.id);
			return isFinished(execution) ? execution : undefined;
		}, options);
	}

	/** Stops an execution, as *Stop execution* does. */
	async stopExecution(id: string): Promise<void> {
		await this.post(`/executions/${id}/stop`, {}, z.unknown());
	}

	async deleteExecution(id: string): Promise<void> {
		await this.post('/executions/delete', { ids: [id] }, z.unknown());
	}

	/** The ID that n8n has for the workflow of a file. */
	idOf(workflowId: string): string {
		return this.session.workflowIds[workflowId] ?? workflowId;
	}

	private pathOf(workflowId: string): string {
		return `/workflows/${this.idOf(workflowId)}`;
	}
}
