import type { SentWebhook } from '../../../dev/sandbox/client';
import type { WebhookAttempt } from '../../../dev/sandbox/state';
import type { EventExecution } from './executions';

const RECEIVED = JSON.stringify({ received: true });

/** The portal's list of webhooks. */
export interface Sent {
	/** Before the workflow was active, after all were sent, and at the end. */
	refused: SentWebhook[];
	first: SentWebhook[];
	last: SentWebhook[];
}

/** What was sent, and how it was answered. Webhooks are named by their Custom Data. */
export abstract class SentTally<Input extends Sent> {
	constructor(protected readonly input: Input) {}

	/** Which had to be resent. */
	get unanswered(): string[] {
		return namesOf(this.input.first.filter((webhook) => !isAnswered(webhook)));
	}

	/** Everything that went wrong, in a line each. */
	get problems(): string[] {
		const { refused, last } = this.input;
		const isEarly = ({ attempts }: SentWebhook) => attempts[0]?.status !== 404;
		return [
			...namesOf(refused.filter(isEarly)).map((name) => `${name} was taken before it could be`),
			...namesOf(last.filter((webhook) => !isAnswered(webhook))).map(
				(name) => `${name} was not answered in the end`,
			),
		];
	}

	protected get answers(): string {
		const { last } = this.input;
		const resent = this.unanswered.length;
		return `${last.length} sent, ${last.length - resent} answered 200 at first, ${resent} resent`;
	}
}

/** Events, set against what n8n has stored. */
export class Tally extends SentTally<Sent & { executions: EventExecution[] }> {
	/** Also: an event is stored once for each time that it was answered 200. */
	override get problems(): string[] {
		const { last, executions } = this.input;
		const miscounted = last.flatMap(({ customData, attempts }) => {
			const stored = executions.filter((execution) => execution.customData === customData).length;
			return isPlausible(stored, attempts) ? [] : [`${customData} was stored ${stored} times`];
		});
		const empty = executions.filter(({ customData }) => !customData);
		return [
			...super.problems,
			...miscounted,
			...empty.map(({ id }) => `execution ${id} has lost its event`),
		];
	}

	/** Executions by status. */
	get statuses(): Record<string, number> {
		return countsOf(this.input.executions.map(({ status }) => status));
	}

	/** Executions that didn't get to the end, and can be run again if they hold their event. */
	get interrupted(): EventExecution[] {
		return this.input.executions.filter(({ isHandled }) => !isHandled);
	}

	override toString(): string {
		return `${this.answers}, executions: ${JSON.stringify(this.statuses)}`;
	}
}

/** Whether something came through as often as it was answered 200, or may have been: an answer can get lost. */
export function isPlausible(times: number, attempts: WebhookAttempt[]): boolean {
	const answered = attempts.filter(isReceived).length;
	const silent = attempts.filter(({ status }) => status === null).length;
	return times >= answered && times <= answered + silent;
}

/** Whether the trigger answered: for a moment of its start n8n answers 200 to everything. */
export function isReceived({ status, body }: WebhookAttempt): boolean {
	return status === 200 && body === RECEIVED;
}

export function isAnswered({ attempts }: SentWebhook): boolean {
	return attempts.some(isReceived);
}

/** How often each of these occurs. */
export function countsOf(names: string[]): Record<string, number> {
	const counts: Record<string, number> = {};
	for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
	return counts;
}

function namesOf(webhooks: SentWebhook[]): string[] {
	return webhooks.map(({ customData }) => customData);
}
