import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isRecord, parseJson } from '../contract/json';
import { MAX_TIMER_MS } from '../contract/limits';
import { isFaithful, isStorable } from '../contract/storable';
import { keepsDigits } from '../contract/text';
import { itemError } from '../errors/nodeErrors';
import type { ItemContext } from '../item';
import { isOutput, outputField } from '../result/outputField';
import type { Output } from '../result/outputField';
import { pathOfFileRecord, readsFileContent } from './image/fileRecord';
import { forMessage } from './image/imageProblems';
import {
	additionalRequestFieldsOption,
	maxParallelOption,
	maxRateLimitWaitOption,
	timeoutOption,
} from './sharedFields';

const USE_ADDITIONAL_FILES = "Use 'Additional Files' in the options to send the file itself.";

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
	const item = { context, itemIndex: 0 };
	const timeoutMs = Math.ceil(positiveNumber(item, timeoutOption) * 1_000);
	return {
		patienceMs: positiveNumber(item, maxRateLimitWaitOption) * 60_000,
		timeoutMs: Math.min(timeoutMs, MAX_TIMER_MS),
	};
}

/** Only `true` itself switches an option on, because an expression can return the text "false". */
export function isOn({ context, itemIndex }: ItemContext, { name }: INodeProperties): boolean {
	return context.getNodeParameter(`options.${name}`, itemIndex, false) === true;
}

/** @throws NodeOperationError when an option isn't a number above 0, or a text that is one */
export function positiveNumber(item: ItemContext, option: INodeProperties): number {
	const { name, displayName } = option;
	const { context, itemIndex } = item;
	const value = Number(context.getNodeParameter(`options.${name}`, itemIndex, option.default));
	if (value > 0) return value;
	const advice = `Correct '${displayName}' in the options for this item.`;
	throw itemError(item, `'${displayName}' is not a number above 0`, advice);
}

/**
 * Reads a text parameter.
 * @throws NodeOperationError when the value is a list, is or contains an object, or is a number
 * that isn't exact
 */
export function readText(
	item: ItemContext,
	{ name, displayName }: Pick<INodeProperties, 'name' | 'displayName'>,
	advice = `Correct the expression of '${displayName}' for this item.`,
): string {
	const value: unknown = item.context.getNodeParameter(name, item.itemIndex, '') ?? '';
	if (typeof value === 'object') {
		const kind = Array.isArray(value) ? 'a list' : 'an object';
		throw itemError(item, `'${displayName}' is ${kind}, not text`, advice);
	}
	if (typeof value === 'number' && !keepsDigits(value))
		throw inexactNumber(item, displayName, value);
	const text = String(value);
	if (!text.includes('[object Object]')) return text;
	throw itemError(item, `'${displayName}' contains "[object Object]" instead of a value`, advice);
}

/**
 * Once JSON or JavaScript has rounded them, two different whole numbers can become the same text.
 */
function inexactNumber(item: ItemContext, displayName: string, value: number): Error {
	if (!Number.isFinite(value)) {
		const advice = `Correct the expression of '${displayName}' for this item.`;
		return itemError(item, `'${displayName}' is ${value} instead of a value`, advice);
	}
	return itemError(
		item,
		`'${displayName}' is too large to be exact as a number`,
		'Send it as text: put it in quotation marks in its source, or use a text column there.',
	);
}

/** @throws NodeOperationError when a text parameter is empty or not text */
export function requiredText(item: ItemContext, parameter: INodeProperties): string {
	const value = readText(item, parameter).trim();
	if (value) return value;
	const { displayName } = parameter;
	throw itemError(item, `'${displayName}' is empty`, `Set '${displayName}' for this item.`);
}

/**
 * Reads Additional Request Fields.
 * @throws NodeOperationError when they aren't a JSON object, set the operation's own fields, or
 * contain a whole number that isn't exact or a file. n8n's record of a file says where the file is
 * stored. It may come from outside and point to any stored file, so it is neither sent nor read.
 */
export function readAdditionalFields(
	item: ItemContext,
	own: readonly string[],
): Record<string, unknown> {
	const { name, displayName } = additionalRequestFieldsOption;
	const wrong = (problem: string, advice = `Correct '${displayName}' for this item.`) =>
		itemError(item, `'${displayName}' ${problem}`, advice);
	const entered = item.context.getNode().parameters.options as IDataObject | undefined;
	if (readsFileContent(entered?.[name])) {
		throw wrong(
			"reads a file's content, which n8n does not give to expressions",
			USE_ADDITIONAL_FILES,
		);
	}
	const value = item.context.getNodeParameter(`options.${name}`, item.itemIndex, {});
	const fields = typeof value === 'string' ? parseJson(value.trim() || '{}') : value;
	if (!isRecord(fields) || !isStorable(fields)) throw wrong('is not a JSON object');
	if (!isFaithful(fields)) {
		throw wrong(
			'contains a number that is too large to be exact',
			'Send it as text, in quotation marks.',
		);
	}
	const taken = own.filter((field) => Object.hasOwn(fields, field));
	if (taken.length > 0) throw wrong(`cannot set '${taken.join("', '")}'`);
	const path = pathOfFileRecord(fields);
	if (path !== undefined) {
		const where = path ? ` at '${forMessage(path)}'` : '';
		throw wrong(`contains n8n's record of a file${where}, not the file`, USE_ADDITIONAL_FILES);
	}
	return fields;
}

/** @throws NodeOperationError when Output has an unknown value */
export function readOutput(item: ItemContext): Output {
	const value = item.context.getNodeParameter(outputField.name, item.itemIndex);
	if (isOutput(value)) return value;
	const advice = "Choose 'Output' again for this item.";
	throw itemError(item, "'Output' has an unknown value", advice);
}
