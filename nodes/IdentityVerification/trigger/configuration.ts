import type { INode } from 'n8n-workflow';

import { isRecord } from '../contract/json';
import { readOutput } from '../result/outputField';
import { AUTHENTICATIONS, NEEDS_SECRET, TRIGGER } from './authenticate';

/** n8n passes expressions on unevaluated and, where they aren't allowed, without the `=`. */
const EXPRESSION = /^=|\{\{/;

/**
 * Says why a trigger may not run with its settings: they could start the wrong branch, let a
 * webhook choose how it is checked, or refuse every webhook.
 * @param secret the credential's webhook secret, if it was read; empty if it has no strong one
 */
export function configurationProblem(
	{ alwaysOutputData, parameters }: INode,
	secret?: string,
): string | undefined {
	const { authentication, options, output, documentFields }: Partial<Record<string, unknown>> =
		parameters;
	if (alwaysOutputData) {
		return `Turn off 'Always Output Data' in the settings of ${TRIGGER}: with it, n8n also starts the Review branch for every accept and reject, with an empty item`;
	}
	const fixed = [
		...[authentication, output, options],
		...[documentFields].flat(),
		...Object.values(options ?? {}),
	];
	if (fixed.some((value) => typeof value === 'string' && EXPRESSION.test(value))) {
		return `Replace the expressions in the parameters of ${TRIGGER} with fixed values: through an expression, a webhook could choose how it is checked`;
	}
	if (!AUTHENTICATIONS.some((known) => known === authentication)) {
		return `Set the 'Authentication' of ${TRIGGER} to Webhook Secret: it is not one of ${AUTHENTICATIONS.join(', ')}`;
	}
	const reading = readOutput(output, documentFields);
	if (!reading.ok) {
		return `Choose the '${reading.displayName}' of ${TRIGGER} again: a value is not one of ${reading.offered.join(', ')}`;
	}
	const { profiles = '', otherEvents = false } = isRecord(options) ? options : {};
	if (typeof profiles !== 'string') {
		return `Enter the 'Profiles' of ${TRIGGER} again: they have to be text, with commas between the IDs`;
	}
	if (typeof otherEvents !== 'boolean') {
		return `Switch 'Other Events' of ${TRIGGER} on or off again: it has to be true or false`;
	}
	if (otherEvents && authentication === 'none') {
		return `Set the 'Authentication' of ${TRIGGER} to Webhook Secret, or switch 'Other Events' off: nothing else proves where an event comes from`;
	}
	return authentication !== 'none' && secret === '' ? NEEDS_SECRET : undefined;
}
