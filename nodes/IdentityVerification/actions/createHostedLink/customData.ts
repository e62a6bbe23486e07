import { ExpressionParser } from 'n8n-workflow';
import type { INodeProperties } from 'n8n-workflow';

import { parseJson } from '../../contract/json';
import { keepsDigits, nameOfCharacter } from '../../contract/text';
import { splitAddress } from '../../delivery/address';
import { itemError } from '../../errors/nodeErrors';
import type { ItemContext } from '../../item';
import { SEND_AS_TEXT, adviceFor, readText, wrongType } from '../../parameters/readParameters';

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
 * Line breaks, other characters that aren't seen but change how a text is shown, and what stands for
 * bytes that were read in the wrong charset, so that two people can have the same text.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800\ufffd]/u;

/** What JavaScript, Luxon, databases, Python and spreadsheets write for a missing value. */
const NO_VALUES = [
	...['null', 'NaN', 'Invalid Date', 'Invalid DateTime', 'NULL', '\\N', 'None', 'nan', 'NaT'],
	...['#N/A', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#NULL!', '#DIV/0!', '#SPILL!', '#CALC!'],
	...[
		'#ERROR!',
		'#FIELD!',
		'#BUSY!',
		'#CONNECT!',
		'#BLOCKED!',
		'N/A',
		'Loading...',
		'#NV',
		'#WERT!',
		'#BEZUG!',
		'#ZAHL!',
		'#N/D',
		'#NOM?',
		'#VALEUR!',
		'#VALOR!',
		'#WAARDE!',
		'#¡VALOR!',
		'#¡REF!',
	],
];

/** What is wrong with Custom Data, in words that follow its name. They never quote it. */
interface Problem {
	what: string;
	advice: string;
	/** Whether an expression is wrong, and not the text as a whole. */
	isOfExpression?: boolean;
}

/**
 * Reads Custom Data, without white space around it: a service that trims it would make the address
 * of a waiting execution unreadable. It is one line of at most 1,000 visible characters, with a
 * letter or digit, and each of its expressions gives a value.
 * @returns an empty text only if the field is empty
 * @throws NodeOperationError when it is anything else (nobody would know whose link it is), or when
 * the trigger would mistake its end for an address
 */
export function readCustomData(item: ItemContext): string {
	const customData = readText(item, customDataField, USE_AN_ID).trim();
	const problem =
		problemOfForm(customData) ??
		problemOfExpressions(item, customData) ??
		problemOfWhole(customData);
	if (!problem) return customData;
	const { what, advice, isOfExpression = false } = problem;
	const subject = isOfExpression ? `An expression in '${displayName}'` : `'${displayName}'`;
	throw itemError(item, `${subject} ${what}`, advice);
}

function problemOfForm(text: string): Problem | undefined {
	if (text.length > MAX_LENGTH) {
		const what = `has ${text.length.toLocaleString('en-US')} characters, more than ${MAX_LENGTH.toLocaleString('en-US')}`;
		return { what, advice: USE_AN_ID };
	}
	const [character] = INVISIBLE.exec(text) ?? [];
	if (character === undefined) return undefined;
	return {
		what: `contains ${nameOfCharacter(character)}`,
		advice: `Remove it at its source, or use another ID: ${displayName} is one line of visible characters.`,
	};
}

/**
 * What is wrong with the first expression that gives no value. Each is evaluated by itself, because
 * the text around it may say anything.
 * @param customData the whole evaluated text, trimmed
 */
function problemOfExpressions(
	{ context, itemIndex }: ItemContext,
	customData: string,
): Problem | undefined {
	const entered = context.getNode().parameters[customDataField.name];
	if (typeof entered !== 'string' || !entered.startsWith('=')) return undefined;
	const template = entered.slice(1);
	// An empty field that was switched to Expression is entered as `=`.
	if (template.trim() === '') return undefined;
	if (customData === '') return problemOfValue(customData);
	const chunks = ExpressionParser.splitExpression(template).filter(({ type }) => type === 'code');
	const values = chunks.map((chunk) =>
		context.evaluateExpression(ExpressionParser.joinExpression([chunk]), itemIndex),
	);
	return values.map(problemOfValue).find(Boolean);
}

function problemOfValue(value: unknown): Problem | undefined {
	const advice = `Without its value, nobody would know whose link it is. Correct the expression for this item, or leave '${displayName}' empty.`;
	const isOfExpression = true;
	if (isNothing(value)) return { what: 'evaluates to nothing', advice, isOfExpression };
	const type = wrongType(value);
	if (type) return { what: type, advice: adviceFor(value, USE_AN_ID), isOfExpression };
	const problem = problemOfText(String(value), advice);
	return problem && { ...problem, isOfExpression };
}

function problemOfWhole(text: string): Problem | undefined {
	if (text === '') return undefined;
	const problem = problemOfText(text, USE_AN_ID);
	if (problem) return problem;
	if (!splitAddress(text)) return undefined;
	return {
		what: 'ends like the address of a waiting execution',
		advice:
			'Use only your own value, which is what Custom Data contains in the item of a link or a result.',
	};
}

function isNothing(value: unknown): boolean {
	return value === null || value === undefined || (typeof value === 'string' && !value.trim());
}

/**
 * Why a text says nothing about a person, or may say the same about two. Parts of JSON may be
 * missing, as long as not all are.
 * @param advice what to do if it says nothing
 */
function problemOfText(text: string, advice: string): Problem | undefined {
	const what = noValue(text);
	if (what) return { what, advice };
	const json = parseJson(text);
	if (typeof json !== 'object' || json === null) return undefined;
	const values = valuesIn(json);
	if (values.every((value) => value === null || noValue(String(value)))) {
		return { what: 'is JSON without any value', advice };
	}
	const isExact = values.every((value) => typeof value !== 'number' || keepsDigits(value));
	return isExact
		? undefined
		: { what: 'contains a number that is not exact', advice: SEND_AS_TEXT };
}

function noValue(text: string): string | undefined {
	if (!/[\p{L}\p{N}]/u.test(text)) return 'contains neither a letter nor a digit';
	if (text.includes('undefined')) return 'contains "undefined" instead of a value';
	return NO_VALUES.includes(text.trim())
		? 'is what stands for a missing value elsewhere'
		: undefined;
}

/** The values in parsed JSON, apart from the keys of its objects. */
function valuesIn(json: unknown): unknown[] {
	if (typeof json !== 'object' || json === null) return [json];
	return Object.values(json).flatMap(valuesIn);
}
