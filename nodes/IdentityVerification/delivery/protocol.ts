// Frozen after 0.1.0, because the trigger and the execution can run in processes with different
// versions while n8n is being updated.

/**
 * The last part of the path at which Wait for Result receives its result. Other nodes that wait use
 * other paths.
 */
export const RESULT_PATH = 'identity-verification-result';

/** Carries the proof that a result went through the trigger. */
export const SIGNATURE_HEADER = 'x-identity-verification-signature';

/** What Wait for Result adds to its answer when it refuses a result, so the trigger knows why. */
export const REFUSAL_CODES = { otherLink: 'other_link', notSigned: 'not_signed' } as const;
