import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { webhookResult } from '../../../../nodes/IdentityVerification/contract/result';
import { DECISIONS } from '../../../../nodes/IdentityVerification/contract/vocabulary';
import type { Decision } from '../../../../nodes/IdentityVerification/contract/vocabulary';
import { fixture, WEBHOOK_FIXTURES } from '../../../kit/data/fixtures';
import { anyText, membersOf, objectJson, trickyKey } from '../../../kit/data/fuzzedJson';
import type { Members } from '../../../kit/data/fuzzedJson';

/** The documented keys of a webhook's body (interface.md#result). */
export const knownKeys: string[] = Object.keys(webhookResult);

/** A readable `hosted_conclusive` body: what people, documents and findings say can be anything. */
export interface FuzzedResult {
	members: Members;
	decision: Decision;
}

const field = fc.tuple(
	fc.oneof(fc.constantFrom('firstName', 'dob', 'age', 'face'), anyText, trickyKey),
	fc.array(fc.record({ value: anyText, confidence: fc.double({ min: 0, max: 1, noNaN: true }) }), {
		maxLength: 2,
	}),
);

export const result: fc.Arbitrary<FuzzedResult> = fc
	.record({
		name: fc.constantFrom(...WEBHOOK_FIXTURES),
		decision: fc.constantFrom(...DECISIONS),
		fields: fc.array(field, { maxLength: 4 }),
		code: anyText,
		texts: fc.record({ customData: anyText, transactionId: anyText, profileId: anyText }),
	})
	.map(({ name, decision, fields, code, texts }) => {
		const body = fixture(name, { decision, ...texts });
		const warning = [...(body.warning as IDataObject[]), { code }];
		const data: Members = [
			...membersOf(body.data as IDataObject),
			...fields.map(([key, entries]): [string, string] => [key, JSON.stringify(entries)]),
		];
		return {
			decision,
			members: [...membersOf({ ...body, warning }), ['data', objectJson(data)]],
		};
	});
