import { retryAfterOf } from '../contract/answerHead';
import type { AnswerHead } from '../contract/answerHead';
import { WRONG_SETTING } from './nodeErrors';
import type { Cause } from './nodeErrors';

// The interface documents no status but 200 (interface.md#errors), so only their meaning in HTTP
// counts here.

/**
 * Statuses that say that the request was refused before it was processed. 407 comes from a proxy.
 */
const UNPROCESSED = [400, 401, 402, 403, 404, 405, 407, 413, 415, 422, 429];

/** Whether an answer says that its request wasn't processed. So does a 503 with a Retry-After. */
export function isUnprocessed(answer: AnswerHead): boolean {
	const { statusCode } = answer;
	return (
		UNPROCESSED.includes(statusCode) || (statusCode === 503 && retryAfterOf(answer) !== undefined)
	);
}

/** Undefined if the status doesn't show whether the item, a setting or the service is the cause. */
export function causeOfStatus(answer: AnswerHead): Cause | undefined {
	switch (answer.statusCode) {
		case 401:
			return { cause: 'credential-invalid' };
		case 404:
		case 405:
		case 407:
			return WRONG_SETTING;
		case 429:
			return { cause: 'rate-limited', retryAfterMs: retryAfterOf(answer) };
		case 503:
			return { cause: 'temporarily-unavailable', retryAfterMs: retryAfterOf(answer) };
	}
	return undefined;
}

const ADVICE: Partial<Record<number, string>> = {
	401: "The service refused the API key, or a firewall in front of it refused n8n. Check the key in the credential against the service's web portal.",
	402: 'The account seems to have too few credits left. Top it up, then run the item again.',
	403: "The service refused this API key, the key isn't allowed to do this, or a firewall in front of the service refused n8n. Check the key and the profile, then whether the service can be reached from n8n's network.",
	404: "The service does not know the profile, or has nothing at this address. Check the profile of this item, then the 'Base URL' in the credential.",
	405: "The service doesn't accept this request at this address. Check the 'Base URL' in the credential.",
	407: 'The proxy between n8n and the service asks for a user name and a password. Check the proxy settings of n8n.',
	413: 'The service refused the request as too large. Use a smaller image.',
	429: "The service has refused all requests of this operation with this profile for longer than 'Max Rate Limit Wait' allows, or asks for a longer pause. Check the quota of the profile. Run the item later, or raise 'Max Rate Limit Wait' in the options.",
};

/** What to do after an answer with this status. */
export function adviceFor(statusCode: number): string {
	const advice = ADVICE[statusCode];
	if (advice) return advice;
	if (statusCode < 400) {
		return "Redirects are not followed, because the API key would be sent along. Correct the 'Base URL' in the credential.";
	}
	if (statusCode < 500) return 'Check the profile and the other parameters of this item.';
	return 'The service failed.';
}
