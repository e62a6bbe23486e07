import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

export const SCAN_FIXTURES = ['scan-accept', 'scan-aml'] as const;

export const WEBHOOK_FIXTURES = [
	'webhook-accept',
	'webhook-review',
	'webhook-reject-aml',
	'webhook-empty-data',
	'webhook-text-forgery',
] as const;

export type FixtureName =
	| (typeof SCAN_FIXTURES)[number]
	| (typeof WEBHOOK_FIXTURES)[number]
	| 'hosted-link';

/**
 * The files that hold only what differs from another body. There, null removes a key, and `data` is
 * merged key by key. All other files hold whole bodies.
 */
const DIFFERENCE_TO: Partial<Record<FixtureName, FixtureName>> = {
	'webhook-review': 'webhook-accept',
	'webhook-text-forgery': 'webhook-accept',
	'webhook-reject-aml': 'webhook-accept',
	'scan-accept': 'webhook-accept',
	'scan-aml': 'webhook-reject-aml',
};

/** A fresh copy of a body that the service sends, about a fictional person. */
export function fixture(name: FixtureName, changes: IDataObject = {}): IDataObject {
	return { ...wholeBody(name), ...changes };
}

function wholeBody(name: FixtureName): IDataObject {
	const path = join(__dirname, '..', '..', 'fixtures', `${name}.json`);
	const content = JSON.parse(readFileSync(path, 'utf8')) as IDataObject;
	const baseName = DIFFERENCE_TO[name];
	if (!baseName) return content;
	const base = wholeBody(baseName);
	const data = { ...(base.data as IDataObject), ...(content.data as IDataObject) };
	const members = Object.entries({ ...base, ...content, data });
	return Object.fromEntries(members.filter(([, value]) => value !== null));
}
