import fc from 'fast-check';

import type { Decision } from '../../../nodes/IdentityVerification/contract/vocabulary';
import { damagedMember, isStrict } from './damage';
import { anyJson, anyText, nested, objectJson, trickyKey } from './json';
import type { Members } from './json';
import { knownKeys, result } from './results';

/**
 * What a webhook with the right secret has to come to: a start at the output of a decision,
 * `ignored` (200, no start), `refused` (400), `unparsable` (n8n's own 422), or, where a body is
 * changed blindly, anything of these.
 */
export type Expectation = Decision | 'ignored' | 'refused' | 'unparsable' | 'any';

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

/** A key more than once: the last one counts. */
const duplicates: Family = fc
	.tuple(result, fc.array(fc.tuple(fc.constantFrom(...knownKeys, '__proto__'), anyJson)))
	.map(([{ members, decision }, first]) => ({
		json: objectJson([
			...first.filter(([key]) => key === '__proto__' || occurs(key, members)),
			...members,
		]),
		expectation: decision,
	}));

/** A decision that the interface doesn't list goes to a person. */
const unrecognized: Family = fc
	.tuple(result, anyJson)
	.filter(([, json]) => !['"accept"', '"review"', '"reject"'].includes(json.trim()))
	.map(([{ members }, json]) => ({
		json: objectJson([...members, ['decision', json]]),
		expectation: 'review',
	}));

/** One documented field with another type. An accept wants a `success` that is right. */
const damaged: Family = fc.tuple(result, damagedMember).map(([{ members, decision }, member]) => {
	const [key] = member;
	const isDistrusted = key === 'success' && decision === 'accept';
	const kept = isDistrusted ? 'review' : decision;
	return {
		json: objectJson([...members, member]),
		expectation: isStrict(key) ? 'refused' : kept,
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

const noEvent: Family = fc
	.tuple(
		result,
		fc.constantFrom('null', '1', 'true', `[${EVENT}]`, '{"toString":"hosted_conclusive"}', ''),
	)
	.map(([{ members }, event]) => ({
		json: objectJson([
			...members.filter(([key]) => key !== 'event'),
			...(event ? [['event', event] as [string, string]] : []),
		]),
		expectation: 'refused',
	}));

const noObject: Family = fc
	.oneof(
		fc.constantFrom('', 'null', 'true', '0', '""', '[]', nested(100_000)),
		fc.array(anyJson, { maxLength: 3 }).map((list) => `[${list.join(',')}]`),
		anyText.map((text) => JSON.stringify(text)),
	)
	.map((json) => ({ json, expectation: 'refused' }));

/** Nested beyond the documented seven levels: a field of more than a hundred is left out. */
const deep: Family = fc
	.tuple(
		result,
		fc.constantFrom(10, 90, 101, 5_000, 100_000),
		fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const),
		fc.constantFrom('extra', '__proto__', 'data', 'warning', 'customData', 'profileId'),
	)
	.map(([{ members, decision }, levels, [open, close], key]) => ({
		json: objectJson([...members, [key, nested(levels, open, close)]]),
		expectation: isStrict(key) ? 'refused' : decision,
	}));

const large: Family = fc
	.tuple(
		result,
		fc.integer({ min: 1, max: 1_000_000 }),
		fc.constantFrom('a', 'é', '\ud83d', '.v1.'),
	)
	.map(([{ members, decision }, length, unit]) => ({
		json: objectJson([...members, ['customData', JSON.stringify(unit.repeat(length))]]),
		expectation: decision,
	}));

/** Bytes that are no UTF-8, in a text: n8n reads replacement characters. */
const notUtf8: Family = fc
	.tuple(result, fc.uint8Array({ min: 0x80, max: 0xff, maxLength: 20 }))
	.map(([{ members, decision }, bytes]) => {
		const start = Buffer.from(`${objectJson(members).slice(0, -1)},"customData":"`);
		return { json: Buffer.concat([start, bytes, Buffer.from('"}')]), expectation: decision };
	});

const notJson: Family = fc
	.constantFrom('{', '{"event":', 'event=hosted_conclusive', '<event/>', "{'event':1}", '\0', 'NaN')
	.map((json) => ({ json, expectation: 'unparsable' }));

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
	[10, duplicates],
	[8, unrecognized],
	[20, damaged],
	[4, failed],
	[8, otherEvent],
	[4, noEvent],
	[4, noObject],
	[2, deep],
	[1, large],
	[6, notUtf8],
	[2, notJson],
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

/** The same, one after the other, for tests that send them to a running n8n. */
export function* fuzzedBodies(count: number, seed: number): Generator<FuzzedBody> {
	for (let index = 0; index < count; index++) {
		yield* fc.sample(fuzzedBody, { numRuns: 1, seed: seed + index });
	}
}

function occurs(key: string, members: Members): boolean {
	return members.some(([name]) => name === key);
}

/** What a family changes is at the ends. */
function excerpt(text: string): string {
	const short = text.replace(/(.{1,5})\1{20,}/gs, '$1…');
	return short.length <= 1_500 ? short : `${short.slice(0, 500)} … ${short.slice(-1_000)}`;
}
