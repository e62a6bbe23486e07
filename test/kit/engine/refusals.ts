/** What the trigger answers to every webhook that doesn't prove where it comes from. */
export const NOT_AUTHENTICATED =
	'Not authenticated. Check the webhook secret in the URL or in the header.';

/** What it answers when it can't decide at the moment. */
export const UNAVAILABLE = 'This webhook cannot be accepted at the moment. Send it again later.';
