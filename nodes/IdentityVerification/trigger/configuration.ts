import { AUTHENTICATIONS } from './authenticate';

/** What the trigger looks at in its own node. */
interface NodeSettings {
	alwaysOutputData?: boolean;
	parameters: Partial<Record<string, unknown>>;
}

/** n8n hands on an expression as it is, or without its equals sign where a parameter takes none. */
const EXPRESSION = /^=|\{\{/;

/**
 * Says why a trigger may not run with its settings: they could start the wrong branch, or let a
 * request choose how it is checked.
 */
export function configurationProblem(node: NodeSettings): string | undefined {
	const { authentication, options, output } = node.parameters;
	if (node.alwaysOutputData) {
		return 'Turn off Always Output Data in the settings of the Identity Verification Trigger: with it, n8n starts the Accept branch for every reject';
	}
	const fixed = [authentication, output, options, ...Object.values(options ?? {})];
	if (fixed.some((value) => typeof value === 'string' && EXPRESSION.test(value))) {
		return 'Replace the expressions in the parameters of the Identity Verification Trigger by fixed values: a webhook could choose how it is checked';
	}
	if (!AUTHENTICATIONS.some((known) => known === authentication)) {
		return 'Choose the Authentication of the Identity Verification Trigger again: it has one that does not exist';
	}
	return undefined;
}
