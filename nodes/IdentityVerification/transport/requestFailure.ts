import { WRONG_SETTING } from '../errors/nodeErrors';
import type { Cause, NodeError } from '../errors/nodeErrors';
import { CANCELED } from '../errors/requestErrors';

/** What went wrong before any byte of a request was sent. */
export type UnsentCause = keyof typeof UNSENT;

/** Why a transfer was ended before it was complete. */
export type Interruption =
	| { kind: 'canceled' }
	/** Nothing was sent or arrived for that long. */
	| { kind: 'silent'; forMs: number }
	/** The answer kept arriving, but wasn't complete after that time. */
	| { kind: 'endless'; afterMs: number }
	/** More than that arrived. */
	| { kind: 'tooLarge'; maxBytes: number };

/** Why a request has no complete answer. */
export type RequestFailure =
	| Interruption
	| { kind: 'unsent'; cause: UnsentCause }
	/** The connection ended too early. The request may have been sent. */
	| { kind: 'broken' }
	/**
	 * Anything else, with Node.js's code for it, which is empty if there is none. The request may have
	 * been sent.
	 */
	| { kind: 'unreadable'; code: string };

/** A request that the node itself couldn't send whole. It says nothing about the service. */
export class IncompleteRequest {
	/** @param error what users are told */
	constructor(readonly error: NodeError) {}
}

const UNSENT = {
	blocked: "n8n's protection against requests to internal addresses blocked it",
	certificate: 'its TLS certificate is not valid',
	failed: 'the connection failed',
	handshake: 'the connection ended during the TLS handshake',
	invalidAddress: 'the address is not valid',
	lookup: 'the host name could not be looked up',
	noTls: 'the server does not accept https at this address',
	refused: 'the connection was refused',
	unknownAuthority:
		"n8n does not trust the authority that issued its TLS certificate. If the authority is your own, set NODE_EXTRA_CA_CERTS in n8n's environment",
	unknownHost: 'the host name was not found',
};

/** These last until somebody changes a setting of the credential, of n8n or of the network. */
const WRONG_SETTINGS: UnsentCause[] = [
	'blocked',
	'certificate',
	'invalidAddress',
	'noTls',
	'unknownAuthority',
];

/**
 * Tells n8n whether trying again later may help. It may for an unknown host name, because a name is
 * also unknown while the network is down.
 */
export function causeOfUnsent({ cause }: { cause: UnsentCause }): Cause {
	return WRONG_SETTINGS.includes(cause) ? WRONG_SETTING : { cause: 'temporarily-unavailable' };
}

/** The reason, as part of a sentence. */
export function reasonOf(failure: RequestFailure): string {
	switch (failure.kind) {
		case 'canceled':
			return CANCELED;
		case 'silent':
			return `nothing arrived for ${failure.forMs / 1_000} s`;
		case 'endless':
			return `the answer was still not complete after ${failure.afterMs / 1_000} s`;
		case 'tooLarge':
			return `it ${largerThanText(failure.maxBytes)}`;
		case 'unsent':
			return UNSENT[failure.cause];
		case 'broken':
			return 'the connection was lost';
		case 'unreadable':
			return `n8n could not read the answer${failure.code && ` (${failure.code})`}`;
	}
}

/** Such as `is larger than 16 MB`. */
export function largerThanText(bytes: number): string {
	return `is larger than ${bytes / 1024 / 1024} MB`;
}
