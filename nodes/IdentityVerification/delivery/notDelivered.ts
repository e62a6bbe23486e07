/** What became of a result that an execution waits for. */
export type Delivery = { kind: 'delivered' } | NotDelivered;

/** As far as anybody can tell, the execution doesn't have the result. */
export interface NotDelivered {
	kind: 'notDelivered';
	why: Why;
	/** The status of the answer, if n8n itself failed. */
	status?: number;
}

/** Why a result wasn't delivered. No code reads the sentences; they are for people. */
export type Why = keyof typeof SENTENCES;

/** What users read in `notDelivered`; docs/wait-for-result.md says what to do about each. */
export const SENTENCES = {
	unproven:
		'Only Webhook Secret authentication proves a decision. With None, no result is delivered to a waiting execution.',
	damaged:
		'Its Custom Data came back cut off or changed, so it no longer says which execution waits.',
	unopened:
		'Its link was created for another profile or with another webhook secret, or its Custom Data came back changed: trimmed, escaped, cut off, or with different capitalization.',
	senderGone:
		'The sender closed the connection before the result could be passed on. If the service sends it again, it will be.',
	starting: 'n8n is still starting.',
	goneOn: 'The execution has already continued without it, or was stopped.',
	notWaiting: 'The execution was not waiting for it.',
	otherNode: 'Another node of the execution was waiting.',
	deleted:
		'This n8n has no such execution: it was deleted, or belongs to another n8n with the same webhook secret.',
	lost: 'n8n could not resume the execution, or it belongs to another n8n with the same webhook secret.',
	otherLink: 'The execution is waiting for the result of another link.',
	otherSecret: 'Wait for Result and the trigger have different webhook secrets.',
	unreachable:
		'n8n could not be reached at its own address, or something else answered there. If n8n uses a proxy (NODE_USE_ENV_PROXY), add this address to NO_PROXY.',
	tooSlow:
		'n8n took too long to answer. Check whether the execution has continued with this result.',
	serverError: 'n8n answered with status {status}.',
};

export function notDelivered(why: Why, status?: number): NotDelivered {
	return { kind: 'notDelivered', why, status };
}

/** The text of `notDelivered`. */
export function sentenceOf({ why, status }: NotDelivered): string {
	return SENTENCES[why].replace('{status}', String(status));
}
