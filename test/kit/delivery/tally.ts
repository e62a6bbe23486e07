import type { SentWebhook } from '../../../dev/sandbox/client';
import type { WebhookAttempt } from '../../../dev/sandbox/state';
import type { EventExecution } from './executions';

const RECEIVED = JSON.stringify({ received: true });

export interface TallyInput {
	/** The portal's list before the workflow was active, after all were sent, and at the end. */
	refused: SentWebhook[];
	first: SentWebhook[];
	last: SentWebhook[];
	executions: EventExecution[];
}

/** What was sent, set against what n8n has stored. Events are named by their custom data. */
export class Tally {
	constructor(private readonly input: TallyInput) {}

	/** Events that n8n took, or seems to have taken, before the workflow was active. */
	get takenEarly(): string[] {
		return namesOf(this.input.refused.filter(({ attempts }) => attempts[0]?.status !== 404));
	}

	/** Events that had to be resent. */
	get unanswered(): string[] {
		return namesOf(this.input.first.filter((webhook) => !isAnswered(webhook)));
	}

	/** Events that weren't answered at the end either. */
	get undelivered(): string[] {
		return namesOf(this.input.last.filter((webhook) => !isAnswered(webhook)));
	}

	/** Events that were answered 200 more often than there are executions that still hold them. */
	get lost(): string[] {
		return this.where((stored, answered) => stored < answered);
	}

	/** Events with more executions than attempts that were answered 200 or not at all. */
	get surplus(): string[] {
		return this.where((stored, answered, silent) => stored > answered + silent);
	}

	/** Executions by status. */
	get statuses(): Record<string, number> {
		const counts: Record<string, number> = {};
		for (const { status } of this.input.executions) counts[status] = (counts[status] ?? 0) + 1;
		return counts;
	}

	/** Executions that didn't get to the end, and can be run again if they hold their event. */
	get interrupted(): EventExecution[] {
		return this.input.executions.filter(({ isHandled }) => !isHandled);
	}

	/** Executions that don't hold their event any more. */
	get empty(): EventExecution[] {
		return this.input.executions.filter(({ customData }) => !customData);
	}

	toString(): string {
		const { last, executions } = this.input;
		const startPages = last.flatMap(({ attempts }) => attempts).filter(isStartPage);
		const statuses = Object.entries(this.statuses).map(([status, count]) => `${count} ${status}`);
		return [
			`${last.length} events`,
			`${last.length - this.unanswered.length} answered 200 at first`,
			`${this.unanswered.length} resent`,
			`${last.length - this.undelivered.length} answered 200 in the end`,
			`${executions.length} executions (${statuses.join(', ')})`,
			`${this.lost.length} lost`,
			`${this.surplus.length} surplus`,
			`${this.empty.length} executions without their event`,
			`${startPages.length} answered by n8n's start page`,
		].join(', ');
	}

	private where(isMeant: (stored: number, answered: number, silent: number) => boolean): string[] {
		const stored = new Map<string, number>();
		for (const { customData = '' } of this.input.executions) {
			stored.set(customData, (stored.get(customData) ?? 0) + 1);
		}
		const found = this.input.last.filter(({ customData, attempts }) => {
			const answered = attempts.filter(isReceived).length;
			const silent = attempts.filter(({ status }) => status === null).length;
			return isMeant(stored.get(customData) ?? 0, answered, silent);
		});
		return namesOf(found);
	}
}

function namesOf(webhooks: SentWebhook[]): string[] {
	return webhooks.map(({ customData }) => customData);
}

/** Whether the trigger answered: for a moment of its start n8n answers 200 to everything. */
export function isReceived({ status, body }: WebhookAttempt): boolean {
	return status === 200 && body === RECEIVED;
}

export function isAnswered({ attempts }: SentWebhook): boolean {
	return attempts.some(isReceived);
}

function isStartPage(attempt: WebhookAttempt): boolean {
	return attempt.status === 200 && !isReceived(attempt);
}
