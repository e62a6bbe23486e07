import { z } from 'zod/v4';

import { SCAN } from '../../../nodes/IdentityVerification/contract/endpoints';
import { describeProblems, readLeniently } from '../../../nodes/IdentityVerification/contract/read';
import {
	readWebhookResult,
	recognizedDecision,
} from '../../../nodes/IdentityVerification/contract/result';
import type { Envelope } from '../../../nodes/IdentityVerification/contract/result';
import { resultItem } from '../../../nodes/IdentityVerification/resultItem';
import { fixture } from '../../kit/fixtures';

const problemsOf = (body: unknown) => {
	const reading = SCAN.parse(body);
	return reading.ok ? [] : reading.problems;
};

const unreadableOf = (body: unknown) => {
	const reading = SCAN.parse(body);
	return reading.ok ? reading.unreadable : [];
};

/** What replaces a field that n8n could not store. */
const NOTE = [[expect.stringContaining('Left out')]];

/** A list in a list, and so on: `levels` of them. */
const nested = (levels: number) =>
	JSON.parse(`${'['.repeat(levels)}"end"${']'.repeat(levels)}`) as unknown;

describe('problems of a body', () => {
	it('name the path and what is wrong, for all that is wrong', () => {
		const schema = z.object({ a: z.number(), b: z.string(), c: z.string().optional() });

		const other = 'has another type or value than documented';
		expect(readLeniently(schema, { a: 'x', c: {} }, ['a', 'b', 'c'])).toEqual({
			ok: false,
			problems: [
				{ path: 'a', problem: other },
				{ path: 'b', problem: 'is missing' },
				{ path: 'c', problem: other },
			],
		});
	});

	it.each([[null], [[]], ['text'], [7], [undefined]])('are one for the body %p', (body) => {
		expect(problemsOf(body)).toHaveLength(1);
		expect(describeProblems(problemsOf(body))).toBe('the body is not a JSON object');
	});
});

describe('what is unreadable', () => {
	it('has a free key of data as a star, also one that a documented field is called', () => {
		const data = { 'Mira Alvarsson': 'x', value: [{ value: {} }] };

		expect(unreadableOf({ decision: 'accept', data })).toEqual(['data.*', 'data.*[0].value']);
	});

	it('never holds a received value or a free key', () => {
		const secret = 'Mira Alvarsson 1989';
		const wrong = { [secret]: secret };
		const bodies = [
			{ decision: 'accept', success: secret, quota: secret, warning: secret, data: secret },
			{ decision: 'accept', data: { [secret]: [{ value: wrong }] } },
			{ decision: 'accept', outputFile: [secret], outputImage: { front: wrong } },
			{ decision: 'accept', warning: [{ code: wrong, severity: secret, data: secret }] },
			{ decision: 'accept', missingFields: [wrong], profileId: [secret] },
		];

		for (const unreadable of bodies.map(unreadableOf)) {
			expect(unreadable).not.toEqual([]);
			expect(unreadable.join()).not.toContain('Mira');
		}
	});
});

describe('depth', () => {
	it('may be 100 levels', () => {
		expect(problemsOf({ decision: 'accept', extra: nested(99) })).toEqual([]);
	});

	it.each([100, 3_000, 100_000])('of a field beyond leaves a note in its place: %d', (levels) => {
		const rest = { decision: 'accept', credit: 7 };
		const reading = SCAN.parse({ ...rest, data: nested(levels), 'Mira Alvarsson': nested(levels) });

		const body = { ...rest, data: NOTE, 'Mira Alvarsson': NOTE };
		const value = { ...rest, 'Mira Alvarsson': NOTE };
		expect(reading).toEqual({ ok: true, value, unreadable: ['data'], body });
		expect(reading.ok && resultItem(reading, 'raw')).toEqual({ ...body, unreadable: ['data'] });
	});

	it.each(['error', 'success'])('of %s beyond makes no accept trusted', (key) => {
		const reading = SCAN.parse({ decision: 'accept', [key]: nested(100) });

		expect(reading.ok && recognizedDecision(reading.body)).toBeUndefined();
		expect(reading.ok && resultItem(reading, 'raw').unrecognizedDecision).toBe(true);
	});

	it.each(['profileId', 'customData'])('of %s beyond is refused in a webhook', (path) => {
		const body = fixture('webhook-accept', { [path]: nested(100) as [] }) as Envelope;

		expect(readWebhookResult(body)).toMatchObject({ ok: false, problems: [{ path }] });
	});
});

describe('the number of values', () => {
	const many = (count: number) => Array.from({ length: count }, () => 1);
	const manyKeys = (count: number) =>
		Object.fromEntries(many(count).map((value, index) => [`k${index}`, value]));

	it.each([
		['warning', many(200_000)],
		['data', manyKeys(200_000)],
		['data', { dob: many(200_000) }],
		['warning', [{ code: 'AML_SANCTION', data: { alias: many(2_000_000) } }]],
	])('over 10,000 leaves the field %s out, but of Raw', (key, value) => {
		const rest = { decision: 'accept', missingFields: many(9_000) };
		const body = { ...rest, [key]: value };
		const reading = SCAN.parse(body);

		expect(reading).toEqual({ ok: true, value: rest, unreadable: [key], body });
		expect(reading.ok && resultItem(reading, 'raw')).toEqual(body);
	});
});

describe('__proto__ from outside', () => {
	const hostile = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';

	it.each(['data', 'warning'])('in %s is left out like any other key', (key) => {
		const [list, path] = key === 'data' ? [hostile, 'data.*'] : [`[${hostile}]`, undefined];
		const body = JSON.parse(`{"decision":"accept","credit":"x","${key}":${list}}`) as unknown;

		const reading = SCAN.parse(body);

		expect(reading).toMatchObject({ ok: true, value: { decision: 'accept' } });
		expect(unreadableOf(body)).toEqual(expect.arrayContaining(['credit', ...(path ? [path] : [])]));
		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('at the top gives no decision', () => {
		const body = JSON.parse('{"__proto__":{"decision":"accept"},"credit":"x"}') as object;

		const reading = SCAN.parse(body);

		expect(recognizedDecision(body as Record<string, unknown>)).toBeUndefined();
		expect(reading.ok && reading.value.decision).toBeUndefined();
	});
});
