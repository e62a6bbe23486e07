import { createHash } from 'node:crypto';

import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Done, Task } from '../actions/operation';
import { UNCOMPARED } from '../actions/parameters';
import { credentialOf } from '../credential';
import { runsOnEngine2 } from '../runtime';
import { NotStarted, failedAfterwards, mayBeCharged, restoreFailure } from '../transport/errors';
import type { StoredFailure } from '../transport/errors';

/** The outcome of a paid request, in a form that n8n can store. */
export interface Outcome {
	executionId: string;
	done?: Done;
	/** If it failed and may have been charged. */
	failure?: StoredFailure;
}

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

	areCharged = false;

	private readonly holder: Holder;

	private readonly runIndex: number;

	/** Where this run sends its requests; known before the first one. */
	baseUrl = '';

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly isAgentTool: boolean,
	) {
		this.holder = isAgentTool ? holderOfTool(context) : (context.getContext('node') as Holder);
		this.runIndex = isAgentTool ? 0 : context.getWorkflowDataProxy(0).$runIndex;
	}

	/**
	 * Prepares what is still to be done for an item: nothing where an earlier try has paid for it. In
	 * the same execution nobody can have changed what the item asks for, so nothing is compared. In
	 * the retry of an execution, the request has to be the same.
	 * @returns a function that sends the request, or returns its earlier outcome
	 * @throws NodeApiError when the item's request may have been charged in this execution, NodeOperationError when
	 * another service was paid before, and what `prepare` throws
	 */
	async prepare(itemIndex: number, prepare: () => Promise<Task>): Promise<() => Promise<Done>> {
		const own = this.ofThisExecution(itemIndex);
		if (own?.failure) throw restoreFailure({ context: this.context, itemIndex }, own.failure);
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

	/**
	 * What earlier executions paid, or may have been charged, for items that this one hasn't returned.
	 * @returns by the index of the item; without the items that have nothing of the kind
	 */
	ofEarlierExecutions(itemIndexes = this.knownItems()): Map<number, Outcome[]> {
		const own = this.context.getExecutionId();
		const earlier = itemIndexes
			.filter((itemIndex) => !this.paid.has(itemIndex))
			.map((itemIndex): [number, Outcome[]] => [
				itemIndex,
				this.outcomesOf(itemIndex).filter(({ executionId }) => executionId !== own),
			]);
		return new Map(earlier.filter(([, outcomes]) => outcomes.length > 0));
	}

	/** The items of this run that have outcomes. */
	private knownItems(): number[] {
		const keys = Object.keys(this.holder.paidOutcomes ?? {}).map((key) => key.split(':'));
		return keys.flatMap(([run, item]) => (Number(run) === this.runIndex ? Number(item) : []));
	}

	/** Whether n8n hands the outcomes to its Retry, as far as a node can tell. */
	surviveFailure(): boolean {
		// An n8n before 2.6 doesn't tell a node the settings of its workflow.
		const context: Partial<IExecuteFunctions> = this.context;
		const { saveDataErrorExecution, saveManualExecutions } = context.getWorkflowSettings?.() ?? {};
		const mode = this.context.getMode();
		// A sub-workflow has its own execution: retrying its parent starts a new one.
		if (mode === 'integrated') return false;
		if (this.isAgentTool || runsOnEngine2(this.context)) return false;
		return mode === 'manual' ? saveManualExecutions !== false : saveDataErrorExecution !== 'none';
	}

	/** Forgets the outcomes once the node has succeeded, with these items at its first output. */
	forget([first]: INodeExecutionData[] = []): void {
		// n8n takes a first item that has an `error` for a failure, and Retry On Fail then runs the node again.
		const isTakenForFailure = ![undefined, null, false].includes(first?.json.error as undefined);
		const runsAgain = isTakenForFailure && this.context.getNode().retryOnFail === true;
		// Keeps what an earlier execution paid for and this one couldn't return.
		const isComplete = this.ofEarlierExecutions().size === 0;
		if (!runsAgain && isComplete) delete this.holder.paidOutcomes;
	}

	/**
	 * A retry doesn't mix results of two services, or pay again unasked. Later rounds of a
	 * loop in the same execution may go elsewhere: a credential's address can be an expression.
	 */
	private assertSameService(): void {
		const { paidAt } = this.holder;
		if (!paidAt || paidAt.baseUrl === this.baseUrl) return;
		const isPaidHere = paidAt.executionId === this.context.getExecutionId();
		// Computed only if needed: with Continue, a retry calls this for each of its items.
		if (isPaidHere && this.knownItems().length === 0) return;
		const advice = this.surviveFailure()
			? 'To get them without paying again, set the credential back and use Retry.'
			: 'Set the credential back before the next run.';
		throw new NodeOperationError(
			this.context.getNode(),
			"This execution paid for results at an address other than the credential's",
			{
				description: `They were paid for at ${paidAt.baseUrl}, and the credential now leads to ${this.baseUrl}. Nothing was sent there. ${advice} To send all items to the new address, start a new run, which pays for each of them.`,
			},
		);
	}

	private async pay(itemIndex: number, fingerprint: string, { run }: Task): Promise<Done> {
		const done = await run().catch((error: unknown) => {
			const isExpected = error instanceof NodeApiError || error instanceof NotStarted;
			const failure = isExpected ? error : failedAfterwards({ context: this.context, itemIndex });
			if (mayBeCharged(failure)) {
				const { message, description, httpCode } = failure;
				const stored = { message, description: description ?? '', httpCode: httpCode ?? undefined };
				this.keep(itemIndex, fingerprint, { failure: stored });
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
		return this.outcomesOf(itemIndex).find(({ executionId }) => executionId === own);
	}

	private outcomesOf(itemIndex: number): Outcome[] {
		return Object.values(this.outcomes(itemIndex)).flatMap((outcome) => outcome ?? []);
	}

	private outcomes(itemIndex: number): Outcomes {
		return this.holder.paidOutcomes?.[this.key(itemIndex)] ?? {};
	}

	private key(itemIndex: number): string {
		return `${this.runIndex}:${itemIndex}`;
	}
}

function holderOfTool(context: IExecuteFunctions): Holder {
	const toolArguments = context.getInputData()[0]?.json ?? {};
	const holder = holdersOfTools.get(toolArguments) ?? {};
	holdersOfTools.set(toolArguments, holder);
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
