/**
 * A webhook secret that is strong enough. It has a capital, because the nodes must not ignore case.
 */
export const WEBHOOK_SECRET = 'Webhook-secret-of-the-tests';

/** ID of an execution that runs in n8n's Engine 2.0. */
export const ENGINE_2_EXECUTION = '01928f4e-7b1c-7def-8abc-0123456789ab';

/** Settings of a node that returns its failed items with the others. */
export const CONTINUE = { onError: 'continueRegularOutput' } as const;

/** Settings of a node that n8n runs up to so many times, without a pause in between. */
export function retryOnFail(maxTries: number) {
	return { retryOnFail: true, maxTries, waitBetweenTries: 1 };
}
