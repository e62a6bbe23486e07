import type { SentWebhook } from '../../../../dev/sandbox/client';
import type { LinkRecord, WebhookAttempt } from '../../../../dev/sandbox/state';
import { itemsOf } from '../../../../dev/stack/execution';
import type { Execution } from '../../../../dev/stack/execution';
import { CREATE, branchesOf } from '../waitingFlow';

const RECEIVED = JSON.stringify({ received: true });
/** n8n puts such an item where a node of a crashed execution had ended. */
const ARTIFICIAL = 'isArtificialRecoveredEventItem';

/** An item that came through, and the branch that it ran. */
interface End {
	branch: string;
	item: Record<string, unknown>;
}

/** What was sent, and what n8n has stored. */
interface Outcome {
	/** All links of the profile, finished. */
	links: LinkRecord[];
	webhooks: SentWebhook[];
	/**
	 * Executions that waited for a result, and those that a result started; each with those that were
	 * run again.
	 */
	waited: Execution[];
	started: Execution[];
}

/**
 * Everything that went wrong, in a line each. Each result has to be answered, and to get on as
 * often as it was answered: one that an execution waits for, once at the output of its decision;
 * what didn't get to an execution has to say why.
 */
export function problemsOf(outcome: Outcome): string[] {
	const { links, waited, started } = outcome;
	const references = links.map(({ reference }) => reference as unknown);
	const strangers = [
		...waited.filter((one) => !references.includes(referenceOf(one))),
		...started.filter((one) => ends(one).some(({ item }) => !references.includes(item.reference))),
	];
	return [
		...links.flatMap((link) => ofLink(link, outcome).map((text) => `${link.customData} ${text}`)),
		...strangers.map(({ id }) => `execution ${id} belongs to no link`),
	];
}

function ofLink(link: LinkRecord, { webhooks, waited, started }: Outcome): string[] {
	const { reference, customData, decision = '' } = link;
	const [own = '', address] = customData.split('.w1.');
	const isAwaited = address !== undefined;
	const item = { decision, customData: own, reference };
	const webhook = webhooks.find((sent) => sent.reference === reference);
	const executions = waited.filter((one) => referenceOf(one) === reference);
	const resumed = executions.filter(({ status }) => status === 'success');
	const left = started.flatMap(ends).filter((end) => end.item.reference === reference);
	const branch = decision.charAt(0).toUpperCase() + decision.slice(1);
	const isRight = (end?: End) => end?.branch === branch && holds(end.item, item);
	const checks: [isWrong: boolean, text: string][] = [
		[!webhook || !isAnswered(webhook), 'was not answered in the end'],
		[
			!isPlausible(resumed.length + left.length, webhook?.attempts ?? []),
			`got on ${resumed.length + left.length} times, but was answered otherwise`,
		],
		[executions.some(({ status }) => status === 'waiting'), 'still waits'],
		[isAwaited && resumed.length !== 1, `went on ${resumed.length} times`],
		[
			executions.some((one) => Object.keys(branchesOf(one)).some((name) => name !== branch)),
			'went on at another output',
		],
		[
			!resumed.every((one) => ends(one).length === 1 && isRight(ends(one)[0])),
			'went on with other data',
		],
		[
			!left.every((end) => isRight(end) && 'notDelivered' in end.item === isAwaited),
			'went to the trigger with other data, or without saying why',
		],
	];
	return checks.filter(([isWrong]) => isWrong).map(([, text]) => text);
}

/**
 * Whether something got on as often as it was answered 200, or may have been: an answer can get
 * lost.
 */
function isPlausible(times: number, attempts: WebhookAttempt[]): boolean {
	const answered = attempts.filter(isReceived).length;
	const silent = attempts.filter(({ status }) => status === null).length;
	return times >= answered && times <= answered + silent;
}

/** Whether the trigger answered: for a moment of its start n8n answers 200 to everything. */
function isReceived({ status, body }: WebhookAttempt): boolean {
	return status === 200 && body === RECEIVED;
}

export function isAnswered({ attempts }: SentWebhook): boolean {
	return attempts.some(isReceived);
}

/**
 * What came through to the branches of an execution: nothing if it was interrupted. Its status
 * doesn't tell: n8n lists the retry of an execution that was stopped before any of its nodes was
 * logged as failed, though it ran to its end.
 */
function ends(execution: Execution): End[] {
	const branches = Object.entries(branchesOf(execution));
	return branches.flatMap(([branch, items]) =>
		items.filter((item) => !(ARTIFICIAL in item)).map((item) => ({ branch, item })),
	);
}

function referenceOf(execution: Execution): unknown {
	return itemsOf(execution, CREATE)[0]?.reference;
}

function holds(item: Record<string, unknown>, values: object): boolean {
	return Object.entries(values).every(([key, value]) => item[key] === value);
}
