import type { LinkRecord } from '../../../dev/sandbox/state';
import { itemsOf } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { CREATE, TRIGGER, branchesOf } from '../n8n/waitingFlow';
import { SentTally, countsOf, isPlausible } from './tally';
import type { Sent } from './tally';

/** n8n puts such an item where a node of a crashed execution had ended. */
const ARTIFICIAL = 'isArtificialRecoveredEventItem';

export interface WaitingTallyInput extends Sent {
	/** All links of the profile, finished. */
	links: LinkRecord[];
	/** How many executions were run again. */
	interrupted: number;
	/** Of the workflow that waits, with those that were run again. */
	executions: Execution[];
	/** Of the trigger. */
	undelivered: Execution[];
}

type Item = Record<string, unknown>;

/** Executions that waited, and where they went on, set against the sandbox's own list. */
export class WaitingTally extends SentTally<WaitingTallyInput> {
	/** How many people there were. */
	get people(): number {
		return this.input.links.length;
	}

	/** How many executions were run again. */
	get interrupted(): number {
		return this.input.interrupted;
	}

	/** Whose result went to the trigger's outputs, too: its first answer got lost. */
	get alsoLeft(): string[] {
		const left = this.input.links.filter((link) => this.itemsLeft(link).length > 0);
		return left.map(({ customData }) => customData);
	}

	/**
	 * Also: each person's execution went on once, at the output of the decision, with its own data, and what didn't get
	 * to an execution says why.
	 */
	override get problems(): string[] {
		const { links, executions, undelivered } = this.input;
		const references = links.map(({ reference }) => reference as unknown);
		const strangers = [
			...executions.filter((one) => !references.includes(referenceOf(one))),
			...undelivered.filter((one) =>
				itemsOf(one, TRIGGER).some(({ reference }) => !references.includes(reference)),
			),
		];
		return [
			...super.problems,
			...links.flatMap((link) => this.problemsOf(link).map((text) => `${link.customData} ${text}`)),
			...strangers.map(({ id }) => `execution ${id} belongs to no link`),
		];
	}

	override toString(): string {
		const { executions, undelivered, interrupted } = this.input;
		const ended = executions.filter(hasEnded).flatMap((one) => Object.keys(realBranches(one)));
		return [
			this.answers,
			`${interrupted} executions interrupted and run again`,
			`gone on: ${JSON.stringify(countsOf(ended))}`,
			`${undelivered.length} executions of the trigger (${this.alsoLeft.length} people)`,
			`executions: ${JSON.stringify(countsOf(executions.map(({ status }) => status)))}`,
		].join(', ');
	}

	private problemsOf(link: LinkRecord): string[] {
		const own = this.input.executions.filter((one) => referenceOf(one) === link.reference);
		const ended = own.filter(hasEnded);
		const left = this.itemsLeft(link);
		const { attempts = [] } =
			this.input.last.find(({ reference }) => reference === link.reference) ?? {};
		const item = {
			decision: link.decision,
			customData: link.customData.replace(/\.w1\.[\w-]+$/, ''),
		};
		const branch = titleOf(link.decision ?? '');
		const isElsewhere = own.some((one) => Object.keys(branchesOf(one)).some((at) => at !== branch));
		const isWrong = !ended.every((one) => {
			const [real, ...more] = realBranches(one)[branch] ?? [];
			return more.length === 0 && holds(real, { ...item, reference: link.reference });
		});
		const isUnmarked = left.some(
			(one) => typeof one.notDelivered !== 'string' || !holds(one, item),
		);
		return [
			...(own.some(({ status }) => status === 'waiting') ? ['still waits'] : []),
			...(ended.length === 1 ? [] : [`went on ${ended.length} times`]),
			...(isElsewhere ? ['went on at another output'] : []),
			...(isWrong ? ['went on with other data'] : []),
			...(isUnmarked ? ['was left to the trigger without saying why'] : []),
			...(isPlausible(ended.length + left.length, attempts) ? [] : ['was answered otherwise']),
		];
	}

	/** The items in which the result of a link went to the outputs of the trigger. */
	private itemsLeft({ reference }: LinkRecord): Item[] {
		const left = this.input.undelivered.flatMap((execution) => itemsOf(execution, TRIGGER));
		return left.filter((item) => item.reference === reference);
	}
}

function referenceOf(execution: Execution): unknown {
	return itemsOf(execution, CREATE)[0]?.reference;
}

function hasEnded({ status }: Execution): boolean {
	return status === 'success';
}

/** The branches that ran, without the items that n8n has made up. */
function realBranches(execution: Execution): Record<string, Item[]> {
	const branches = Object.entries(branchesOf(execution));
	return Object.fromEntries(
		branches.map(([name, items]) => [name, items.filter((item) => !(ARTIFICIAL in item))]),
	);
}

function holds(item: Item | undefined, values: object): boolean {
	return Object.entries(values).every(([key, value]) => item?.[key] === value);
}

function titleOf(decision: string): string {
	return decision.charAt(0).toUpperCase() + decision.slice(1);
}
