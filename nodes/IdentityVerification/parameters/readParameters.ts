import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isRecord, parseJson } from '../contract/json';
import { WRONG_SETTING, nodeError } from '../errors/nodeErrors';
import type { ItemContext, NodeRun } from '../item';
import { MAX_TIMER_MS } from '../nodejs';
import { documentFieldsField, outputField, readOutput } from '../result/outputField';
import type { Output } from '../result/outputField';
import { forMessage } from './image/imageProblems';
import {
	additionalRequestFieldsOption,
	maxPaidRequestsField,
	maxParallelOption,
	maxRateLimitWaitOption,
	stopBelowCreditsOption,
	timeoutOption,
} from './sharedFields';
import { findUnsendable } from './unsendable';
import type { Unsendable } from './unsendable';

/** Returns an expression instead of its value. */
const AS_ENTERED = { rawExpressions: true };

/** What users read about a part of Additional Request Fields. */
const UNSENDABLE: Record<Unsendable['kind'], { problem: string; advice?: string }> = {
	file: {
		problem: "contains n8n's record of a file",
		advice: "Use 'Additional Files' in the options to send the file itself.",
	},
	noValue: {
		problem: 'has no value',
		advice:
			"Its expression gives undefined or a function. To leave a field out, write ...($json.note && { note: $json.note }), or $json.note ?? null to send null. To send a file, use 'Additional Files' in the options: n8n does not give its content to expressions.",
	},
	objectInText: {
		problem: 'contains "[object Object]" instead of a value',
		advice:
			"Its expression gives an object within a text. To send a file, use 'Additional Files' in the options. To send an object, don't put its expression in quotes.",
	},
	inexactNumber: {
		problem: 'contains a number that is not exact',
		advice: 'Send it as text, in quotation marks.',
	},
	tooDeep: { problem: 'is nested too deeply' },
};

/** Undefined means automatic: as many requests at once as the service can handle. */
export function readMaxParallel(context: IExecuteFunctions): number | undefined {
	const value = Number(context.getNodeParameter(`options.${maxParallelOption.name}`, 0, 0));
	// An invalid value means automatic rather than an error: it only affects speed.
	return value >= 1 ? Math.floor(value) : undefined;
}

/**
 * How long the service may refuse an operation with a profile (`patienceMs`), and how long nothing
 * may be sent or arrive (`timeoutMs`, limited to what a timer can take).
 * @throws NodeOperationError when one isn't a number above 0
 */
export function readTimes(context: IExecuteFunctions): { patienceMs: number; timeoutMs: number } {
	const timeoutMs = Math.ceil(positiveNumber(context, timeoutOption) * 1_000);
	return {
		patienceMs: positiveNumber(context, maxRateLimitWaitOption) * 60_000,
		timeoutMs: Math.min(timeoutMs, MAX_TIMER_MS),
	};
}

/**
 * Max Paid Requests. Undefined means unlimited.
 * @throws NodeOperationError when it isn't a whole number above 0
 */
export function readMaxPaid({ context, isAgentTool }: NodeRun): number | undefined {
	const { parameters } = context.getNode();
	const { name, default: initial } = maxPaidRequestsField;
	const entered = isAgentTool ? (parameters[name] ?? initial) : optionAsEntered(context, name);
	if (entered === undefined) return undefined;
	if (typeof entered === 'number' && Number.isSafeInteger(entered) && entered > 0) return entered;
	throw notEntered(context, maxPaidRequestsField, 'a whole number above 0');
}

/**
 * Stop Below Credits. Undefined means that credits stop nothing.
 * @throws NodeOperationError when it isn't a number above 0
 */
export function readStopBelow(context: IExecuteFunctions): number | undefined {
	const entered = optionAsEntered(context, stopBelowCreditsOption.name);
	if (entered === undefined || (typeof entered === 'number' && entered > 0)) return entered;
	throw notEntered(context, stopBelowCreditsOption, 'a number above 0');
}

/** Read without evaluating it, so neither an item nor an agent's model can set its own limit. */
function optionAsEntered(context: IExecuteFunctions, name: string): unknown {
	const options: unknown = context.getNode().parameters.options;
	return isRecord(options) ? options[name] : undefined;
}

function notEntered(context: IExecuteFunctions, { displayName }: INodeProperties, wanted: string) {
	const message = `'${displayName}' is not ${wanted}`;
	const advice = `Enter '${displayName}' as a number. It cannot be an expression.`;
	return nodeError({ context }, { message, advice, charge: 'none', cause: WRONG_SETTING });
}

/** Only `true` itself switches an option on, because an expression can return the text "false". */
export function isOn({ context, itemIndex }: ItemContext, { name }: INodeProperties): boolean {
	return context.getNodeParameter(`options.${name}`, itemIndex, false) === true;
}

/**
 * @param itemIndex undefined for an option that all items share
 * @throws NodeOperationError when an option isn't a number above 0, or a text that is one
 */
export function positiveNumber(
	context: IExecuteFunctions,
	option: INodeProperties,
	itemIndex?: number,
): number {
	const { name, displayName } = option;
	const value = Number(context.getNodeParameter(`options.${name}`, itemIndex ?? 0, option.default));
	if (value > 0) return value;
	const isShared = itemIndex === undefined;
	throw nodeError(
		{ context, itemIndex },
		{
			message: `'${displayName}' is not a number above 0`,
			advice: `Correct '${displayName}' in the options${isShared ? '' : ' for this item'}.`,
			charge: 'none',
			cause: isShared ? WRONG_SETTING : undefined,
		},
	);
}

/** What the user has entered at the path of a parameter, unless it is an expression. */
export function enteredAt({ context, itemIndex }: ItemContext, path: string): string | undefined {
	const raw: unknown = context.getNodeParameter(path, itemIndex, '', AS_ENTERED);
	return typeof raw === 'string' && !raw.startsWith('=') ? raw.trim() : undefined;
}

/** @throws NodeOperationError when a field has the braces of an expression, but isn't one */
function refuseBraces(
	item: ItemContext,
	{ name, displayName }: Pick<INodeProperties, 'name' | 'displayName'>,
): void {
	if (!enteredAt(item, name)?.includes('{{')) return;
	throw nodeError(item, {
		message: `'${displayName}' contains {{, but is not an expression`,
		advice: `Switch '${displayName}' from Fixed to Expression.`,
		charge: 'none',
	});
}

/**
 * Reads a text parameter: a text, a whole number that is exact, or a boolean.
 * @throws NodeOperationError when it is anything else, or has an expression that isn't evaluated or
 * gives "[object Object]"
 */
export function readText(
	item: ItemContext,
	{ name, displayName }: Pick<INodeProperties, 'name' | 'displayName'>,
	advice = `Correct the expression of '${displayName}' for this item.`,
): string {
	const value: unknown = item.context.getNodeParameter(name, item.itemIndex, '') ?? '';
	const wrong = wrongType(value);
	if (wrong) {
		throw nodeError(item, {
			message: `'${displayName}' ${wrong}`,
			advice: adviceOnType(value, advice),
			charge: 'none',
		});
	}
	refuseBraces(item, { name, displayName });
	const text = String(value);
	if (!text.includes('[object Object]')) return text;
	throw nodeError(item, {
		message: `'${displayName}' contains "[object Object]" instead of a value`,
		advice,
		charge: 'none',
	});
}

/**
 * What a value is, if it can't be sent as text. A fraction can't, because it is no ID, and neither
 * can a number so large that JSON or JavaScript may have rounded it: two of them can become one.
 */
export function wrongType(value: unknown): string | undefined {
	if (['string', 'boolean', 'bigint'].includes(typeof value)) return undefined;
	if (typeof value !== 'number')
		return `is ${Array.isArray(value) ? 'a list' : 'an object'}, not text`;
	if (Number.isSafeInteger(value)) return undefined;
	return Number.isInteger(value) ? 'is too large to be exact as a number' : 'is not a whole number';
}

/** A number that isn't exact may be so at its source already. */
const SEND_AS_TEXT =
	'Send it as text: put it in quotation marks in its source, or use a text column there.';

/** What to do about a value that can't be sent as text. */
export function adviceOnType(value: unknown, advice: string): string {
	return typeof value === 'number' && Number.isInteger(value) ? SEND_AS_TEXT : advice;
}

/** @throws NodeOperationError when a text parameter is empty or not text */
export function requiredText(item: ItemContext, parameter: INodeProperties): string {
	const value = readText(item, parameter).trim();
	if (value) return value;
	const { displayName } = parameter;
	throw nodeError(item, {
		message: `'${displayName}' is empty`,
		advice: `Set '${displayName}' for this item.`,
		charge: 'none',
	});
}

/**
 * Reads Additional Request Fields.
 * @throws NodeOperationError when they aren't a JSON object, set the operation's own fields, have an
 * expression that isn't evaluated, or contain something that can't be sent. n8n's record of a file
 * can't: it says where the file is stored, and may come from outside and point to any stored file.
 */
export function readAdditionalFields(
	item: ItemContext,
	own: readonly string[],
): Record<string, unknown> {
	const { displayName } = additionalRequestFieldsOption;
	const name = `options.${additionalRequestFieldsOption.name}`;
	refuseBraces(item, { name, displayName });
	const wrong = (problem: string, advice = `Correct '${displayName}' for this item.`) =>
		nodeError(item, { message: `'${displayName}' ${problem}`, advice, charge: 'none' });
	const value = item.context.getNodeParameter(name, item.itemIndex, {});
	const fields = typeof value === 'string' ? parseJson(value.trim() || '{}') : value;
	if (!isRecord(fields)) throw wrong('is not a JSON object');
	const taken = own.filter((field) => Object.hasOwn(fields, field));
	if (taken.length > 0) throw wrong(`cannot set '${taken.join("', '")}'`);
	const unsendable = findUnsendable(fields);
	if (!unsendable) return fields;
	const { problem, advice } = UNSENDABLE[unsendable.kind];
	const where = unsendable.path && ` at '${forMessage(unsendable.path)}'`;
	throw wrong(`${problem}${where}`, advice);
}

/**
 * Neither parameter takes an expression, through which a model or an applicant could choose what n8n
 * stores.
 * @throws NodeOperationError when Output or Fields has a value that doesn't exist
 */
export function readOutputOf({ context, itemIndex }: ItemContext): Output {
	const reading = readOutput(
		context.getNodeParameter(outputField.name, itemIndex, '', AS_ENTERED),
		context.getNodeParameter(documentFieldsField.name, itemIndex, [], AS_ENTERED),
	);
	if (reading.ok) return reading.output;
	const { displayName, wrong, offered } = reading;
	const message = `${wrong} is not one of ${offered.join(', ')}`;
	const advice = `Choose '${displayName}' again for this item.`;
	throw nodeError({ context, itemIndex }, { message, advice, charge: 'none' });
}
