import fc from 'fast-check';

import type { Decision } from '../../../../nodes/IdentityVerification/contract/vocabulary';
import { damagedMember } from './damage';
import { anyJson, anyText, nested, objectJson, trickyKey } from '../../../kit/data/fuzzedJson';
import { knownKeys, result } from './results';

/**
 * What a webhook with the right secret has to come to: a start at the output of a decision,
 * `ignored` (200, no start), or, where a body is changed blindly, anything of these, 400 and n8n's
 * own 422.
 */
export type Expectation = Decision | 'ignored' | 'any';

export interface FuzzedBody {
	/** What is sent, as application/json. */
	bytes: Buffer;
	expectation: Expectation;
}

type Family = fc.Arbitrary<{ json: string | Buffer; expectation: Expectation }>;

const EVENT = '"hosted_conclusive"';

/** A result with keys that nobody knows, or without some that are optional. */
const valid: Family = fc
	.record({
		base: result,
		dropped: fc.subarray(knownKeys.filter((key) => key !== 'event' && key !== 'decision')),
		added: fc.array(fc.tuple(fc.oneof(anyText, trickyKey), anyJson), { maxLength: 4 }),
	})
	.map(({ base: { members, decision }, dropped, added }) => ({
		json: objectJson([
			...added.filter(([key]) => !knownKeys.includes(key)),
			...members.filter(([key]) => !dropped.includes(key)),
		]),
		expectation: decision,
	}));

/** One documented field with another type. An accept wants a `success` that is right. */
const damaged: Family = fc.tuple(result, damagedMember).map(([{ members, decision }, member]) => {
	const [key] = member;
	const isDistrusted = key === 'success' && decision === 'accept';
	const kept = isDistrusted ? 'review' : decision;
	return {
		json: objectJson([...members, member]),
		expectation: kept,
	};
});

/** A result that says of itself that something failed: its accept goes to a person. */
const failed: Family = fc
	.tuple(result, fc.constantFrom('"x"', 'true', '{"message":"x"}', '0', '[]', '{}'), fc.boolean())
	.map(([{ members, decision }, error, isStated]) => ({
		json: objectJson([...members, isStated ? ['success', 'false'] : ['error', error]]),
		expectation: decision === 'accept' ? 'review' : decision,
	}));

const otherEvent: Family = fc
	.tuple(anyText, fc.array(fc.tuple(fc.constantFrom(...knownKeys), anyJson)))
	.filter(([event]) => event !== 'hosted_conclusive')
	.map(([event, members]) => ({
		json: objectJson([...members, ['event', JSON.stringify(event)]]),
		expectation: 'ignored',
	}));

/** Nested beyond the documented seven levels: with more than a hundred, it goes to a person. */
const deep: Family = fc
	.tuple(
		result,
		fc.constantFrom(10, 90, 101, 5_000, 100_000),
		fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const),
		fc.constantFrom('extra', '__proto__', 'data', 'warning', 'customData', 'profileId'),
	)
	.map(([{ members, decision }, levels, [open, close], key]) => ({
		json: objectJson([...members, [key, nested(levels, open, close)]]),
		expectation: levels > 100 ? 'review' : decision,
	}));

/** Bytes of a result, changed anywhere. */
const flipped: Family = fc
	.tuple(result, fc.array(fc.tuple(fc.double({ noNaN: true, min: 0, max: 1 }), fc.nat(255))))
	.map(([{ members }, changes]) => {
		const bytes = Buffer.from(objectJson(members));
		for (const [at, byte] of changes) bytes[Math.floor(at * (bytes.length - 1))] = byte;
		return { json: bytes, expectation: 'any' };
	});

/** Any values under the documented keys. */
const random: Family = fc
	.array(fc.tuple(fc.oneof(fc.constantFrom(...knownKeys), anyText, trickyKey), anyJson))
	.map((members) => ({ json: objectJson([...members, ['event', EVENT]]), expectation: 'any' }));

const anything: Family = anyJson.map((json) => ({ json, expectation: 'any' }));

const FAMILIES: [weight: number, family: Family][] = [
	[20, valid],
	[20, damaged],
	[4, failed],
	[8, otherEvent],
	[2, deep],
	[12, flipped],
	[12, random],
	[6, anything],
];

/** Bodies as a service, a mistaken sender or an attacker could send them. */
export const fuzzedBody: fc.Arbitrary<FuzzedBody> = fc
	.oneof(...FAMILIES.map(([weight, arbitrary]) => ({ weight, arbitrary })))
	.map(({ json, expectation }) => ({
		bytes: Buffer.from(json),
		expectation,
		// What fast-check prints of a failure.
		[fc.toStringMethod]: () => `${expectation}: ${excerpt(String(json))}`,
	}));

/** What a family changes is at the ends. */
function excerpt(text: string): string {
	const short = text.replace(/(.{1,5})\1{20,}/gs, '$1…');
	return short.length <= 1_500 ? short : `${short.slice(0, 500)} … ${short.slice(-1_000)}`;
}
