// Frozen after 0.1.0: in the middle of an update, the trigger and the execution can run in
// processes of two versions.

/** Last part of the path where a Wait for Result receives its result; other nodes have others. */
export const RESULT_PATH = 'identity-verification-result';

/** Holds the proof that a result went through the trigger. */
export const SIGNATURE_HEADER = 'x-identity-verification-signature';

/**
 * What Wait for Result adds to an answer with which it refuses a result, so that the trigger can
 * tell why.
 */
export const REFUSAL_CODES = { otherLink: 'other_link', notSigned: 'not_signed' } as const;
