import type { INode } from 'n8n-workflow';

import { isRecord } from '../contract/json';
import { isOutput } from '../result/outputField';
import { AUTHENTICATIONS, TRIGGER, secretProblem } from './authenticate';

/** n8n passes expressions on unevaluated and, where they aren't allowed, without the `=`. */
const EXPRESSION = /^=|\{\{/;

/**
 * Says why a trigger may not run with its settings: they could start the wrong branch, let a
 * webhook choose how it is checked, or refuse every webhook.
 * @param secret the credential's webhook secret, if it was read
 */
export function configurationProblem(
	{ alwaysOutputData, parameters }: INode,
	secret?: string,
): string | undefined {
	const { authentication, options, output }: Partial<Record<string, unknown>> = parameters;
	if (alwaysOutputData) {
		return `Turn off 'Always Output Data' in the settings of ${TRIGGER}: with it, n8n also starts the Review branch for every accept and reject, with an empty item`;
	}
	const fixed = [authentication, output, options, ...Object.values(options ?? {})];
	if (fixed.some((value) => typeof value === 'string' && EXPRESSION.test(value))) {
		return `Replace the expressions in the parameters of ${TRIGGER} with fixed values: through an expression, a webhook could choose how it is checked`;
	}
	if (!AUTHENTICATIONS.some((known) => known === authentication)) {
		return `Set the 'Authentication' of ${TRIGGER} to Webhook Secret: its value is unknown`;
	}
	if (!isOutput(output)) {
		return `Choose the 'Output' of ${TRIGGER} again: its value is unknown`;
	}
	const { profiles = '' } = isRecord(options) ? options : {};
	if (typeof profiles !== 'string') {
		return `Enter the 'Profiles' of ${TRIGGER} again: they have to be text, with commas between the IDs`;
	}
	if (authentication === 'none' || secret === undefined) return undefined;
	return secretProblem(secret);
}
