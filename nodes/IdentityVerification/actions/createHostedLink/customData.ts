import { ExpressionParser } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';

import { nameOfCharacter } from '../../contract/text';
import { splitAddress } from '../../delivery/address';
import { nodeError } from '../../errors/nodeErrors';
import type { ItemContext } from '../../item';
import { adviceOnType, readText, wrongType } from '../../parameters/readParameters';

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

const { displayName } = customDataField;

const USE_AN_ID =
	'Use an ID, such as {{ $json.applicantId }}. Write a date as text, such as {{ $now.toISODate() }}.';

const MAX_LENGTH = 1_000;

/**
 * Line breaks, other characters that aren't seen but change how a text is shown, and the character
 * that replaces bytes of another charset, with which two people can have the same text.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800\ufffd]/u;

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** What a missing value is written as, also by spreadsheets, such as `#N/A`. */
const NO_VALUE = /^(null|none|nil|nan|n\/a|#[^1-9]*)$/i;

/** What is wrong with Custom Data. Neither text quotes it. */
interface Problem {
	message: string;
	advice: string;
}

/**
 * Reads Custom Data, without white space around it: a service that trims it would make the address
 * of a waiting execution unreadable. It is one line of at most 1,000 visible characters, with a
 * letter or digit in each expression and in the whole.
 * @returns an empty text only if the field is empty
 * @throws NodeOperationError when it is anything else (nobody would know whose link it is), when it
 * is what a missing value is written as, or when the trigger would mistake its end for an address
 */
export function readCustomData(item: ItemContext): string {
	const customData = readText(item, customDataField, USE_AN_ID).trim();
	const values = valuesOfExpressions(item);
	if (customData === '' && !values) return customData;
	const problem =
		problemOfForm(customData) ??
		values?.map(problemOfValue).find(Boolean) ??
		problemOfWhole(customData);
	if (problem) throw nodeError(item, { ...problem, charge: 'none' });
	return customData;
}

function problemOfForm(text: string): Problem | undefined {
	if (text.length > MAX_LENGTH) {
		const message = `'${displayName}' has ${text.length.toLocaleString('en-US')} characters, more than ${MAX_LENGTH.toLocaleString('en-US')}`;
		return { message, advice: USE_AN_ID };
	}
	const [character] = INVISIBLE.exec(text) ?? [];
	if (character === undefined) return undefined;
	return {
		message: `'${displayName}' contains ${nameOfCharacter(character)}`,
		advice: `Remove it at its source, or use another ID: ${displayName} is one line of visible characters.`,
	};
}

/**
 * Evaluates each expression by itself, because the text around it may say anything. Undefined if
 * the field is set to Fixed, or is empty: one that was switched to Expression is entered as `=`.
 */
function valuesOfExpressions({ context, itemIndex }: ItemContext): unknown[] | undefined {
	const entered = context.getNode().parameters[customDataField.name];
	if (typeof entered !== 'string' || !entered.startsWith('=')) return undefined;
	const template = entered.slice(1);
	if (template.trim() === '') return undefined;
	return ExpressionParser.splitExpression(template)
		.filter(({ type }) => type === 'code')
		.map((chunk) =>
			context.evaluateExpression(ExpressionParser.joinExpression([chunk]), itemIndex),
		);
}

function problemOfValue(evaluated: unknown): Problem | undefined {
	const subject = `An expression in '${displayName}'`;
	const value = evaluated ?? '';
	const type = wrongType(value);
	if (type) return { message: `${subject} ${type}`, advice: adviceOnType(value, USE_AN_ID) };
	if (LETTER_OR_DIGIT.test(String(value))) return undefined;
	return {
		message: `${subject} gives neither a letter nor a digit`,
		advice: `Without its value, nobody would know whose link it is. Correct the expression for this item, or leave '${displayName}' empty.`,
	};
}

function problemOfWhole(text: string): Problem | undefined {
	if (splitAddress(text)) {
		return {
			message: `'${displayName}' ends like the address of a waiting execution`,
			advice:
				'Use only your own value, which is what Custom Data contains in the item of a link or a result.',
		};
	}
	const wrong = noValue(text);
	return wrong ? { message: `'${displayName}' ${wrong}`, advice: USE_AN_ID } : undefined;
}

function noValue(text: string): string | undefined {
	if (!LETTER_OR_DIGIT.test(text)) return 'contains neither a letter nor a digit';
	if (text.includes('undefined')) return 'contains "undefined" instead of a value';
	return NO_VALUE.test(text) ? 'is what a missing value is written as' : undefined;
}
