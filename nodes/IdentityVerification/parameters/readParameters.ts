import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { isRecord, parseJson } from '../contract/json';
import { isFaithful, isStorable } from '../contract/storable';
import { keepsDigits } from '../contract/text';
import { isOutput, outputField } from '../resultItem';
import type { Output } from '../resultItem';
import { itemError } from '../errors/requestErrors';
import type { ItemContext } from '../errors/requestErrors';
import { MAX_TIMER_MS } from '../transport/timer';
import { pathOfFileRecord, readsFileContent } from './image/fileRecord';
import { shortened } from './image/imageProblems';

const USE_ADDITIONAL_FILES = "Use 'Additional Files' in the options to send the file itself.";

export const profileField: INodeProperties = {
	displayName: 'Profile',
	name: 'profile',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. kyc-standard',
	description:
		"The profile ID from the service's web portal. A profile holds the verification settings and the webhook URL.",
};

/** Determines the outputs of the node. */
export const branchField: INodeProperties = {
	displayName: 'Branch on Decision',
	name: 'branchOnDecision',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description:
		'Whether the node has an output for each decision. Turn this off to get all results from one output, such as for a spreadsheet. Check the connections after each change: the editor keeps them by position.',
	displayOptions: { hide: { '@tool': [true] } },
};

export const additionalRequestFieldsOption: INodeProperties = {
	displayName: 'Additional Request Fields',
	name: 'additionalRequestFields',
	type: 'json',
	default: '{}',
	description:
		'A JSON object of extra request fields that this node has no parameter for. Fields that have a parameter cannot be set here.',
};

export const repeatAfterServerErrorsOption: INodeProperties = {
	displayName: 'Repeat After Server Errors',
	name: 'repeatAfterServerErrors',
	type: 'boolean',
	noDataExpression: true,
	default: false,
	description:
		"Whether 'Retry On Fail' sends a request again after a server error (5xx). Turn this on only if your service doesn't charge for such requests.",
};

export const sendOtherFileTypesOption: INodeProperties = {
	displayName: 'Send Other File Types',
	name: 'sendOtherFileTypes',
	type: 'boolean',
	default: false,
	description:
		'Whether to also send files that are not images, such as PDF files, and JPEG files without their end. Use it only if your service takes them: you may pay for a file that it cannot read.',
};

const maxParallelOption: INodeProperties = {
	displayName: 'Max Parallel Requests',
	name: 'maxParallelRequests',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 0 },
	default: 0,
	description:
		'How many requests may be sent at the same time. Defaults to 0, which is automatic: as many as the service can handle.',
};

const maxRateLimitWaitOption: INodeProperties = {
	displayName: 'Max Rate Limit Wait (Minutes)',
	name: 'maxRateLimitWait',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: 5,
	description:
		'How long to keep trying while the service refuses all requests of this operation with the same profile with status 429 (too many requests). An item fails after five refusals at the earliest. They cost nothing. Defaults to 5.',
};

const timeoutOption: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: 120,
	description:
		'How long to wait while nothing is sent or arrives. An answer that has begun, and keeps arriving, may take ten times as long; a file, as long as it needs. You may still be charged after a timeout. Defaults to 120.',
};

/** How every operation sends its requests. */
export const SENDING_OPTIONS = [maxParallelOption, maxRateLimitWaitOption, timeoutOption];

/** Changing these doesn't change the request or its result, so a Retry still finds what is paid. */
export const UNCOMPARED: readonly string[] = [
	branchField,
	repeatAfterServerErrorsOption,
	sendOtherFileTypesOption,
	...SENDING_OPTIONS,
].map(({ name }) => name);

/** Undefined for as many requests at once as the service can handle. */
export function readMaxParallel(context: IExecuteFunctions): number | undefined {
	const value = Number(context.getNodeParameter(`options.${maxParallelOption.name}`, 0, 0));
	// An invalid value means automatic rather than an error: it only affects speed.
	return value >= 1 ? Math.floor(value) : undefined;
}

/**
 * Both in milliseconds: how long the service may refuse an operation with a profile (`patienceMs`), and how long
 * nothing may be sent or arrive (`timeoutMs`, at most what a timer takes).
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

/** Only a real true switches an option on: an expression can give the text "false". */
export function isOn({ context, itemIndex }: ItemContext, { name }: INodeProperties): boolean {
	return context.getNodeParameter(`options.${name}`, itemIndex, false) === true;
}

/** @throws NodeOperationError when an option isn't a number above 0, or the text of one */
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
 * @throws NodeOperationError when it is or contains an object, is a list, or a number that isn't exact
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

/** Two whole numbers that JSON or JavaScript has rounded can have become the same text. */
function inexactNumber(item: ItemContext, displayName: string, value: number): Error {
	if (!Number.isFinite(value)) {
		const advice = `Correct the expression of '${displayName}' for this item.`;
		return itemError(item, `'${displayName}' is ${value} instead of a value`, advice);
	}
	return itemError(
		item,
		`'${displayName}' is too large to be exact as a number`,
		'Send it as text: with quotation marks where it comes from, or from a column of text.',
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
 * @throws NodeOperationError when they aren't a JSON object, set the operation's own fields, hold a
 * whole number that isn't exact, or hold a file. n8n's record of a file says where it is stored, and
 * can be any stored file's, since it may come from outside. So it is neither sent nor read.
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
		throw wrong("reads a file's content, which n8n keeps from expressions", USE_ADDITIONAL_FILES);
	}
	const value = item.context.getNodeParameter(`options.${name}`, item.itemIndex, {});
	const fields = typeof value === 'string' ? parseJson(value.trim() || '{}') : value;
	if (!isRecord(fields) || !isStorable(fields)) throw wrong('is not a JSON object');
	if (!isFaithful(fields)) {
		throw wrong(
			'holds a number that is too large to be exact',
			'Send it as text, in quotation marks.',
		);
	}
	const taken = own.filter((field) => Object.hasOwn(fields, field));
	if (taken.length > 0) throw wrong(`cannot set '${taken.join("', '")}'`);
	const path = pathOfFileRecord(fields);
	if (path !== undefined) {
		const where = path ? ` at '${shortened(path)}'` : '';
		throw wrong(`holds n8n's record of a file${where}, not the file`, USE_ADDITIONAL_FILES);
	}
	return fields;
}

/** @throws NodeOperationError when Output has a value that doesn't exist */
export function readOutput(item: ItemContext): Output {
	const value = item.context.getNodeParameter(outputField.name, item.itemIndex);
	if (isOutput(value)) return value;
	const advice = "Choose 'Output' again for this item.";
	throw itemError(item, "'Output' has a value that does not exist", advice);
}
