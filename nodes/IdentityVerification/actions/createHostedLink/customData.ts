import { ExpressionParser } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';

import { parseJson } from '../../contract/json';
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

const GIVES_NOTHING = 'evaluates to nothing';

/**
 * What JavaScript writes for a value that is missing or can't be computed, as in `'C-' + $json.id`.
 * Most of it could also be a part of a longer word.
 */
const NO_VALUE =
	/undefined|Invalid Date|null$|(?<![A-Za-z\d])((null|NaN)(?![A-Za-z\d@])|Infinity$)/;

/** What databases and spreadsheets export for a missing value. */
const EXPORTED_NOTHING = /^(null|nan|\\N|#(N\/A|REF!|VALUE!|NAME\?|ERROR!))$/i;

/**
 * Reads Custom Data, without white space around it: a service that trims it would make the address
 * of a waiting execution unreadable.
 * @returns an empty text only if the field is empty
 * @throws NodeOperationError when it isn't text, when one of its expressions gives no value (nobody
 * would know whose link it is), or when the trigger would mistake its end for an address
 */
export function readCustomData(item: ItemContext): string {
	const { displayName } = customDataField;
	const customData = readText(item, customDataField, TEXT_ADVICE).trim();
	const problem = problemOfExpressions(item, customData);
	if (problem) {
		throw itemError(
			item,
			`An expression in '${displayName}' ${problem}`,
			`Without its value, nobody would know whose link it is. Correct the expression for this item, or leave '${displayName}' empty.`,
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
 * What is wrong with the first expression that gives no value. Each is evaluated by itself, because
 * the text around it may say anything.
 * @param customData the whole evaluated text, trimmed
 * @returns undefined if there is no such expression
 */
function problemOfExpressions(
	{ context, itemIndex }: ItemContext,
	customData: string,
): string | undefined {
	const entered = context.getNode().parameters[customDataField.name];
	if (typeof entered !== 'string' || !entered.startsWith('=')) return undefined;
	const template = entered.slice(1);
	// An empty field that was switched to Expression is entered as `=`.
	if (template.trim() === '') return undefined;
	if (customData === '') return GIVES_NOTHING;
	const chunks = ExpressionParser.splitExpression(template).filter(({ type }) => type === 'code');
	const values = chunks.map((chunk) =>
		context.evaluateExpression(ExpressionParser.joinExpression([chunk]), itemIndex),
	);
	return values.map((value) => problemOf(String(value ?? ''))).find(Boolean);
}

/** The same for the text of one expression. Parts of JSON may be missing, as long as not all are. */
function problemOf(value: string): string | undefined {
	const json = parseJson(value);
	if (typeof json === 'object' && json !== null) return hasValue(json) ? undefined : GIVES_NOTHING;
	if (!/[\p{L}\p{N}]/u.test(value)) return GIVES_NOTHING;
	const [found] = NO_VALUE.exec(value) ?? EXPORTED_NOTHING.exec(value.trim()) ?? [];
	return found && `contains "${found}" instead of a value`;
}

/** Whether something in parsed JSON, apart from the keys of its objects, is a value. */
function hasValue(json: unknown): boolean {
	if (typeof json === 'object' && json !== null) return Object.values(json).some(hasValue);
	return json !== null && problemOf(String(json)) === undefined;
}
