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

/** A fresh copy of a body that the service sends, about a fictional person. */
export function fixture(name: FixtureName, changes: IDataObject = {}): IDataObject {
	const path = join(__dirname, '..', 'fixtures', `${name}.json`);
	return { ...(JSON.parse(readFileSync(path, 'utf8')) as IDataObject), ...changes };
}
