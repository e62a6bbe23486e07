import type { SentWebhook } from '../../../dev/sandbox/client';
import type { LinkRecord } from '../../../dev/sandbox/state';
import { itemsOf } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { CREATE, TRIGGER, branchesOf } from '../n8n/waitingFlow';
import type { Branches } from '../n8n/waitingFlow';
import { isAnswered, isReceived } from './tally';

/** n8n puts such an item where a node of a crashed execution had ended. */
const ARTIFICIAL = 'isArtificialRecoveredEventItem';

export interface WaitingTallyInput {
	/** All links of the profile, finished. */
	links: LinkRecord[];
	/** The portal's list before the trigger was active, after all were sent, and at the end. */
	refused: SentWebhook[];
	first: SentWebhook[];
	last: SentWebhook[];
	/** How many executions were run again. */
	interrupted: number;
	/** Of the workflow that waits, with those that were run again. */
	executions: Execution[];
	/** Of the trigger. */
	undelivered: Execution[];
}

/** A link, what the sandbox knows of it, and what became of it in n8n. */
interface Person {
	link: LinkRecord;
	/** The Custom Data that the workflow was started with. */
	applicantId: string;
	webhook: SentWebhook | undefined;
	/** Its executions. */
	executions: Execution[];
	/** The items in which its result went to the outputs of the trigger. */
	left: Record<string, unknown>[];
}

/** Executions that waited, and where they went on, set against the sandbox's own list. People are named by Custom Data. */
export class WaitingTally {
	readonly people: readonly Person[];

	constructor(private readonly input: WaitingTallyInput) {
		const left = input.undelivered.flatMap((execution) => itemsOf(execution, TRIGGER));
		this.people = input.links.map((link) => ({
			link,
			applicantId: link.customData.replace(/\.w1\.[\w-]+$/, ''),
			webhook: input.last.find(({ reference }) => reference === link.reference),
			executions: input.executions.filter((one) => referenceOf(one) === link.reference),
			left: left.filter(({ reference }) => reference === link.reference),
		}));
	}

	/** How many executions were run again. */
	get interrupted(): number {
		return this.input.interrupted;
	}

	/** Results that n8n took, or seems to have taken, before the trigger was active. */
	get takenEarly(): string[] {
		const early = this.input.refused.filter(({ attempts }) => attempts[0]?.status !== 404);
		return early.map(({ customData }) => customData);
	}

	/** Results that had to be resent. */
	get unanswered(): string[] {
		const missed = this.input.first.filter((webhook) => !isAnswered(webhook));
		return missed.map(({ customData }) => customData);
	}

	/** Results that weren't answered at the end either, or never sent. */
	get undelivered(): string[] {
		return this.where(({ webhook }) => !webhook || !isAnswered(webhook));
	}

	/** Executions that wait although there is a result. */
	get stuck(): string[] {
		return this.where(({ executions }) => executions.some(({ status }) => status === 'waiting'));
	}

	/** Whose execution never went on to its end. */
	get lost(): string[] {
		return this.where((person) => goneOn(person).length === 0);
	}

	/** Whose execution went on to its end more than once. */
	get repeated(): string[] {
		return this.where((person) => goneOn(person).length > 1);
	}

	/** Whose execution went on at another output than that of the decision, or with other data, even if it crashed then. */
	get misled(): string[] {
		return this.where((person) => {
			const { link, applicantId, executions } = person;
			const own = titleOf(link.decision ?? '');
			const item = { decision: link.decision, customData: applicantId, reference: link.reference };
			const isOther = (execution: Execution) =>
				Object.keys(branchesOf(execution)).some((branch) => branch !== own);
			const isRight = (branches: Branches) =>
				branches[own]?.length === 1 && holds(branches[own][0], item);
			return executions.some(isOther) || !goneOn(person).map(realBranches).every(isRight);
		});
	}

	/** Whose result went to the trigger's outputs, too: its first answer got lost. */
	get alsoLeft(): string[] {
		return this.where(({ left }) => left.length > 0);
	}

	/** Whose result went to the trigger's outputs without saying why, or with other data. */
	get unmarked(): string[] {
		return this.where(({ link, applicantId, left }) => {
			const item = { decision: link.decision, customData: applicantId };
			return left.some((one) => typeof one.notDelivered !== 'string' || !holds(one, item));
		});
	}

	/** Whose result was answered 200 more often than it came through somewhere, or less often than it may have. */
	get miscounted(): string[] {
		return this.where((person) => {
			const { webhook, left } = person;
			const attempts = webhook?.attempts ?? [];
			const answered = attempts.filter(isReceived).length;
			const silent = attempts.filter(({ status }) => status === null).length;
			const taken = goneOn(person).length + left.length;
			return taken < answered || taken > answered + silent;
		});
	}

	/** Executions, of both workflows, that belong to no link. */
	get strangers(): string[] {
		const { executions, undelivered } = this.input;
		const own = this.people.flatMap((person) => person.executions);
		const references = this.people.map(({ link }) => link.reference);
		const others = undelivered.filter((execution) =>
			itemsOf(execution, TRIGGER).some(({ reference }) => !references.includes(String(reference))),
		);
		return [...executions.filter((one) => !own.includes(one)), ...others].map(({ id }) => id);
	}

	toString(): string {
		const { links, last, executions, undelivered } = this.input;
		return [
			`${links.length} executions waited`,
			`${last.length - this.unanswered.length} results answered 200 at first`,
			`${this.unanswered.length} resent`,
			`${last.length - this.undelivered.length} answered 200 in the end`,
			`${this.interrupted} executions interrupted and run again`,
			`${this.people.filter((person) => goneOn(person).length === 1).length} people gone on once`,
			`(${this.branches})`,
			`${this.lost.length} lost`,
			`${this.repeated.length} gone on twice`,
			`${this.misled.length} at another output`,
			`${this.stuck.length} left waiting`,
			`${undelivered.length} executions of the trigger (${this.alsoLeft.length} people)`,
			`${executions.length} executions in all (${this.statuses})`,
		].join(', ');
	}

	private get branches(): string {
		const ended = this.people.flatMap(goneOn).map(realBranches);
		return counted(ended.flatMap((branches) => Object.keys(branches)));
	}

	private get statuses(): string {
		return counted(this.input.executions.map(({ status }) => status));
	}

	private where(isMeant: (person: Person) => boolean): string[] {
		return this.people.filter(isMeant).map(({ applicantId }) => applicantId);
	}
}

function referenceOf(execution: Execution): unknown {
	return itemsOf(execution, CREATE)[0]?.reference;
}

/** The executions of a person that went on to their end. */
function goneOn({ executions }: Person): Execution[] {
	return executions.filter(({ status }) => status === 'success');
}

/** The branches that ran, without the items that n8n has made up. */
function realBranches(execution: Execution): Branches {
	const branches = Object.entries(branchesOf(execution));
	return Object.fromEntries(
		branches.map(([name, items]) => [name, items.filter((item) => !(ARTIFICIAL in item))]),
	);
}

function holds(item: Record<string, unknown> | undefined, values: object): boolean {
	return Object.entries(values).every(([key, value]) => item?.[key] === value);
}

function titleOf(decision: string): string {
	return decision.charAt(0).toUpperCase() + decision.slice(1);
}

function counted(names: string[]): string {
	const counts: Record<string, number> = {};
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	const texts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
	return texts.join(', ');
}
