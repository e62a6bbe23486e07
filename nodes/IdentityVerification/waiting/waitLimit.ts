import type { INodeParameters, INodeProperties } from 'n8n-workflow';

const MINUTE_MS = 60_000;
const UNITS = {
	days: 24 * 60 * MINUTE_MS,
	hours: 60 * MINUTE_MS,
	minutes: MINUTE_MS,
};

export const waitUpToField: INodeProperties = {
	displayName: 'Wait Up To',
	name: 'waitUpTo',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 0 },
	default: 7,
	description:
		'How long to wait before the workflow goes on at No Result. A result that arrives later goes to the outputs of the trigger.',
};

export const waitUnitField: INodeProperties = {
	displayName: 'Unit',
	name: 'waitUnit',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Days', value: 'days' },
		{ name: 'Hours', value: 'hours' },
		{ name: 'Minutes', value: 'minutes' },
	],
	default: 'days',
	description: "The unit of 'Wait Up To'",
};

/** How long a Wait for Result waits, in milliseconds; NaN where its parameters don't say it. */
export function waitLimitMs({ waitUpTo, waitUnit }: INodeParameters = {}): number {
	const unitMs = Object.entries(UNITS).find(([name]) => name === waitUnit)?.[1] ?? NaN;
	return Number(waitUpTo) * unitMs;
}
