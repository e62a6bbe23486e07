import { createHash } from 'node:crypto';

import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData, IWorkflowSettings } from 'n8n-workflow';

import type { Done, Task } from '../actions';
import { credentialOf } from '../credential';
import { isAgentTool, runsOnEngine2 } from '../runtime';
import {
	NotStarted,
	failedAfterwards,
	mayBeCharged,
	restoreFailure,
	storeFailure,
} from '../transport/errors';
import type { StoredFailure } from '../transport/errors';

/** The outcome of a paid request, in a form that n8n can store. */
export interface Outcome {
	/** The execution that sent the request. */
	executionId: string;
	/** When the request succeeded. */
	done?: Done;
	/** When it failed and may have been charged. */
	failure?: StoredFailure;
}

/** Parameters and options that change neither a request nor the item that is returned. */
const UNCOMPARED = [
	'branchOnDecision',
	'maxParallelRequests',
	'maxRateLimitWait',
	'repeatAfterServerErrors',
	'sendOtherFileTypes',
	'timeout',
];

/** Outcomes by fingerprint: nothing that is paid is lost when a retry asks for something else. */
type Outcomes = Partial<Record<string, Outcome>>;

/** The rounds of a loop share the node's context. */
interface Holder {
	/** By run and item; those of a run that has succeeded are forgotten. */
	paidOutcomes?: Partial<Record<string, Outcomes>>;
	/** Where a result was last paid for, and by which execution: this one, or one that it retries. */
	paidAt?: { baseUrl: string; executionId: string };
}

/** For an agent's tool, n8n keeps only the arguments object between tries. Each call gets a new one. */
const holdersOfTools = new WeakMap<object, Holder>();

/**
 * Outcomes of paid requests of a node run. They are kept in n8n's node context: the next try of
 * Retry On Fail finds them there, and n8n stores them with a failed execution and hands them to the retry.
 */
export class PaidOutcomes {
	/** The items of this run that are known to be paid, by their index. */
	readonly paid = new Map<number, INodeExecutionData>();

	/** Whether items are charged for. */
	areCharged = false;

	private readonly holder: Holder;

	private readonly runIndex: number;

	/** Where this run sends its requests; known before the first one. */
	baseUrl = '';

	constructor(private readonly context: IExecuteFunctions) {
		const isTool = isAgentTool(context);
		this.holder = isTool ? holderOfTool(context) : (context.getContext('node') as Holder);
		this.runIndex = isTool ? 0 : context.getWorkflowDataProxy(0).$runIndex;
	}

	/**
	 * Prepares what is still to be done for an item: nothing where an earlier try has paid for it. In
	 * the same execution nobody can have changed what the item asks for, so nothing is compared. In
	 * the retry of an execution, the request has to be the same.
	 * @returns a function that sends the request, or returns what it was answered with earlier
	 * @throws NodeApiError when the item's request may have been charged in this execution, NodeOperationError when
	 * another service was paid before, and what `prepare` throws
	 */
	async prepare(itemIndex: number, prepare: () => Promise<Task>): Promise<() => Promise<Done>> {
		const own = this.ofThisExecution(itemIndex);
		if (own?.failure) throw restoreFailure(this.itemAt(itemIndex), own.failure);
		if (own?.done) return this.returnAgain(itemIndex, own.done);
		const task = await prepare();
		if (!task.requestIdentity) return task.run;
		this.areCharged = true;
		this.assertSameService();
		const fingerprint = fingerprintOf(this.context, task.requestIdentity);
		const known = this.outcomes(itemIndex)[fingerprint];
		if (!known?.done) return async () => await this.pay(itemIndex, fingerprint, task);
		this.keep(itemIndex, fingerprint, { done: known.done });
		return this.returnAgain(itemIndex, known.done);
	}

	/** The items of this run that have outcomes of earlier executions: these outcomes, by the item's index. */
	ofEarlierExecutions(): Map<number, Outcome[]> {
		const items = Object.keys(this.holder.paidOutcomes ?? {}).flatMap((key) => {
			const [runIndex, itemIndex = NaN] = key.split(':').map(Number);
			const earlier = runIndex === this.runIndex ? this.ofEarlierExecution(itemIndex) : [];
			return earlier.length > 0 ? [[itemIndex, earlier] as const] : [];
		});
		return new Map(items);
	}

	/** What earlier executions paid, or may have been charged, for an item that this one hasn't returned. */
	ofEarlierExecution(itemIndex: number): Outcome[] {
		if (this.paid.has(itemIndex)) return [];
		const own = this.context.getExecutionId();
		return Object.values(this.outcomes(itemIndex))
			.flatMap((outcome) => outcome ?? [])
			.filter(({ executionId }) => executionId !== own);
	}

	/** Whether n8n hands the outcomes to its Retry, as far as a node can tell. */
	surviveFailure(): boolean {
		const { saveDataErrorExecution, saveManualExecutions } = workflowSettings(this.context);
		const mode = this.context.getMode();
		// A sub-workflow has its own execution: retrying its parent starts a new one.
		if (mode === 'integrated') return false;
		if (isAgentTool(this.context) || runsOnEngine2(this.context)) return false;
		return mode === 'manual' ? saveManualExecutions !== false : saveDataErrorExecution !== 'none';
	}

	/** Forgets the outcomes of a node that has succeeded and returns these items at its first output. */
	forget([first]: INodeExecutionData[] = []): void {
		// n8n takes a first item that has an `error` for a failure, and Retry On Fail then runs the node again.
		const isTakenForFailure = ![undefined, null, false].includes(first?.json.error as undefined);
		const runsAgain = isTakenForFailure && this.context.getNode().retryOnFail === true;
		// What an earlier execution has paid for and this one couldn't return isn't lost.
		const isComplete = this.ofEarlierExecutions().size === 0;
		if (!runsAgain && isComplete) delete this.holder.paidOutcomes;
	}

	/**
	 * A retry mixes no results of two services, and pays nothing a second time without being asked for. Later rounds
	 * of a loop in the same execution may go elsewhere: a credential can have an expression for its address.
	 */
	private assertSameService(): void {
		const { paidAt, paidOutcomes = {} } = this.holder;
		if (!paidAt || paidAt.baseUrl === this.baseUrl) return;
		const isOwn = paidAt.executionId === this.context.getExecutionId();
		const isOfThisRun = (key: string) => key.startsWith(`${this.runIndex}:`);
		// Looked for only here: a retry under Continue comes by for each of its items.
		if (isOwn && !Object.keys(paidOutcomes).some(isOfThisRun)) return;
		const advice = this.surviveFailure()
			? 'To get them without paying again, set the credential back and use Retry.'
			: 'Set the credential back before the next run.';
		throw new NodeOperationError(
			this.context.getNode(),
			'The credential leads to another address than the one at which this execution has paid for results',
			{
				description: `They were paid for at ${paidAt.baseUrl}, and the credential now leads to ${this.baseUrl}. Nothing was sent there. ${advice} To send all items to the new address, start a new run, which pays for each of them.`,
			},
		);
	}

	private async pay(itemIndex: number, fingerprint: string, { run }: Task): Promise<Done> {
		const done = await run().catch((error: unknown) => {
			const isExpected = error instanceof NodeApiError || error instanceof NotStarted;
			const failure = isExpected ? error : failedAfterwards(this.itemAt(itemIndex));
			if (mayBeCharged(failure)) {
				this.keep(itemIndex, fingerprint, { failure: storeFailure(failure) });
			}
			throw failure;
		});
		this.keep(itemIndex, fingerprint, { done });
		this.paid.set(itemIndex, done.item);
		return done;
	}

	private keep(
		itemIndex: number,
		fingerprint: string,
		outcome: Pick<Outcome, 'done' | 'failure'>,
	): void {
		const kept = { ...outcome, executionId: this.context.getExecutionId() };
		if (outcome.done) {
			this.holder.paidAt = { baseUrl: this.baseUrl, executionId: kept.executionId };
		}
		const items = (this.holder.paidOutcomes ??= {});
		(items[this.key(itemIndex)] ??= {})[fingerprint] = kept;
	}

	private returnAgain(itemIndex: number, { item, hints }: Done): () => Promise<Done> {
		this.paid.set(itemIndex, item);
		return async () => ({ item: { ...item }, hints });
	}

	private ofThisExecution(itemIndex: number): Outcome | undefined {
		const own = this.context.getExecutionId();
		if (!own) return undefined;
		return Object.values(this.outcomes(itemIndex)).find((outcome) => outcome?.executionId === own);
	}

	private outcomes(itemIndex: number): Outcomes {
		return this.holder.paidOutcomes?.[this.key(itemIndex)] ?? {};
	}

	private key(itemIndex: number): string {
		return `${this.runIndex}:${itemIndex}`;
	}

	private itemAt(itemIndex: number) {
		return { node: this.context.getNode(), itemIndex };
	}
}

/** The workflow's own settings; none in an n8n before 2.6, which doesn't tell them to nodes. */
function workflowSettings(context: Partial<IExecuteFunctions>): IWorkflowSettings {
	return context.getWorkflowSettings?.() ?? {};
}

function holderOfTool(context: IExecuteFunctions): Holder {
	const [item] = context.getInputData();
	if (!item) return {};
	const holder = holdersOfTools.get(item.json) ?? {};
	holdersOfTools.set(item.json, holder);
	return holder;
}

/**
 * Made from the parameters as entered, not from their values: an expression such as `{{ $now }}` can
 * change from try to try. Hashed, so that n8n's database stores no extra data.
 */
function fingerprintOf(context: IExecuteFunctions, requestIdentity: object): string {
	const { options, ...parameters } = context.getNode().parameters;
	const compared = [parameters, options ?? {}].map((values) =>
		Object.entries(values)
			.filter(([name]) => !UNCOMPARED.includes(name))
			.sort(),
	);
	const request = JSON.stringify([credentialOf(context).id, compared, requestIdentity]);
	return createHash('sha256').update(request).digest('base64url');
}
