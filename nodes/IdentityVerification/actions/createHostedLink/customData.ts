import { ExpressionParser } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';

import { splitAddress } from '../../delivery/address';
import { itemError } from '../../errors/nodeErrors';
import type { ItemContext } from '../../item';
import { readText } from '../../parameters/readParameters';

/** Tells the caller which end user a link belongs to (interface.md#hosted-link). */
export const customDataField: INodeProperties = {
	displayName: 'Custom Data',
	name: 'customData',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.applicantId }}',
	description:
		'Your own ID for the end user, returned with the result. Use an ID rather than a name or an e-mail address.',
};

const TEXT_ADVICE =
	'Use an ID, such as {{ $json.applicantId }}, or turn it into text with JSON.stringify(…).';

/** What JavaScript puts into a text for a missing value, as in `'C-' + $json.id`. */
const MISSING_VALUE = /(undefined|null|NaN)([\W_]|$)/;

/**
 * Reads Custom Data, without white space around it: a service that trims it would make the address
 * of a waiting execution unreadable.
 * @returns an empty text only if the field is empty
 * @throws NodeOperationError when it isn't text, when its expressions evaluate to nothing (nobody
 * would know whose link it is), or when the trigger would mistake its end for an address
 */
export function readCustomData(item: ItemContext): string {
	const { displayName } = customDataField;
	const customData = readText(item, customDataField, TEXT_ADVICE).trim();
	if (givesNothing(item, customData)) {
		throw itemError(
			item,
			`The expression in '${displayName}' evaluates to nothing`,
			`Without a value, nobody would know whose link it is. Correct the expression for this item, or leave '${displayName}' empty.`,
		);
	}
	if (splitAddress(customData)) {
		throw itemError(
			item,
			`'${displayName}' ends like the address of a waiting execution`,
			'Use only your own value, which is what Custom Data contains in the item of a link or a result.',
		);
	}
	return customData;
}

/**
 * Whether Custom Data was entered with expressions of which none evaluated to a value, or one to a
 * text with a missing value in it.
 * @param customData the evaluated text, trimmed
 */
function givesNothing({ context, itemIndex }: ItemContext, customData: string): boolean {
	const entered = context.getNode().parameters[customDataField.name];
	if (typeof entered !== 'string' || !entered.startsWith('=')) return false;
	const template = entered.slice(1);
	// An empty field that was switched to Expression is entered as `=`.
	if (customData === '') return template.trim() !== '';
	// Each expression by itself, because the text around them may say anything.
	const chunks = ExpressionParser.splitExpression(template).filter(({ type }) => type === 'code');
	const values = chunks.map((chunk) => {
		const expression = ExpressionParser.joinExpression([chunk]);
		return String(context.evaluateExpression(expression, itemIndex) ?? '').trim();
	});
	if (values.some((value) => MISSING_VALUE.test(value))) return true;
	return values.length > 0 && values.every((value) => value === '');
}
