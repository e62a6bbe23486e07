import { describeProblems, readEnvelope, SCAN } from '../../nodes/IdentityVerification/contract';
import { fixture } from '../support/fixtures';

const problemsOf = (body: unknown) => {
	const reading = SCAN.parse(body);
	return reading.ok ? [] : reading.problems;
};

/** A list in a list, and so on: `levels` of them. */
const nested = (levels: number): unknown => (levels === 0 ? 'end' : [nested(levels - 1)]);

describe('problems of a body', () => {
	it('name the path and what is wrong, for all that is wrong', () => {
		const body = {
			decision: 'perhaps',
			credit: '948',
			warning: [{ code: 'X' }, { severity: 'critical' }],
			data: { dob: [{ value: '1989-03-07', confidence: 2 }], lastName: 'Alvarsson' },
		};

		const problems = problemsOf(body);

		const other = 'has another type or value than documented';
		expect(problems).toHaveLength(6);
		expect(problems).toEqual(
			expect.arrayContaining([
				{ path: 'decision', problem: other },
				{ path: 'credit', problem: other },
				{ path: 'warning[1].code', problem: 'is missing' },
				{ path: 'warning[1].severity', problem: other },
				{ path: 'data.dob[0].confidence', problem: other },
				{ path: 'data.lastName', problem: other },
			]),
		);
	});

	it('name a field of an AML record', () => {
		const aml = { code: 'AML_SANCTION', data: { alias: 'Ivo', documentnumber: { a: 1 } } };

		expect(problemsOf({ decision: 'reject', warning: [aml] }).map(({ path }) => path)).toEqual([
			'warning[0].data.alias',
			'warning[0].data.documentnumber',
		]);
	});

	it('show a free key of data as a star, also one that a documented field is called', () => {
		const data = { 'Mira Alvarsson': 'x', value: [{}] };

		expect(problemsOf({ decision: 'accept', data }).map(({ path }) => path)).toEqual([
			'data.*',
			'data.*[0].value',
		]);
	});

	it('never hold a received value or a free key', () => {
		const secret = 'Mira Alvarsson 1989';
		const wrong = { [secret]: secret };
		const bodies = [
			{ decision: secret },
			{ decision: 'accept', success: secret, quota: secret, warning: secret, data: secret },
			{ decision: 'accept', data: { [secret]: [{ value: wrong, inputBox: [secret] }] } },
			{ decision: 'accept', outputFile: [{ name: wrong }], outputImage: { front: wrong } },
			{ decision: 'accept', warning: [{ code: wrong, severity: secret, data: secret }] },
			{ decision: 'accept', warning: [{ code: 'AML_SANCTION', data: { alias: [wrong] } }] },
		];

		const texts = bodies.map((body) => describeProblems(problemsOf(body)));

		for (const text of texts) {
			expect(text).not.toBe('');
			expect(text).not.toContain('Mira');
		}
	});

	it('are ten at most', () => {
		const warning = Array.from({ length: 50 }, () => ({}));

		expect(problemsOf({ decision: 'accept', warning })).toHaveLength(10);
	});

	it.each([[null], [[]], ['text'], [7], [undefined]])('are one for the body %p', (body) => {
		expect(problemsOf(body)).toHaveLength(1);
		expect(describeProblems(problemsOf(body))).toMatch(/^the body /);
	});

	it('read as one line', () => {
		expect(describeProblems(problemsOf({ decision: 'accept', warning: [{}, {}] }))).toBe(
			'warning[0].code is missing; warning[1].code is missing',
		);
	});
});

describe('depth', () => {
	it('may be 100 levels', () => {
		expect(problemsOf({ decision: 'accept', extra: nested(99) })).toEqual([]);
	});

	it('is refused beyond, also where n8n itself would fail', () => {
		const tooDeep = [{ path: '', problem: 'is nested too deeply' }];

		expect(problemsOf({ decision: 'accept', extra: nested(100) })).toEqual(tooDeep);
		expect(problemsOf({ decision: 'accept', extra: nested(3000) })).toEqual(tooDeep);
	});
});

describe('__proto__ from outside', () => {
	const hostile = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';

	it.each(['extra', 'data', 'warning'])('in %s changes no other object', (key) => {
		const body = JSON.parse(`{"decision":"accept","${key}":${hostile}}`) as unknown;

		SCAN.parse(body);

		expect(({} as Record<string, unknown>).polluted).toBeUndefined();
	});

	it('at the top gives no decision', () => {
		const reading = SCAN.parse(JSON.parse('{"__proto__":{"decision":"accept"}}'));

		expect(reading.ok).toBe(false);
	});
});

describe('envelope of a webhook', () => {
	it.each([
		['no body', undefined],
		['null', null],
		['a list', [fixture('webhook-accept')]],
		['text', 'event'],
		['a number', 1],
	])('refuses %s', (_, body) => {
		expect(readEnvelope(body)).toEqual({
			ok: false,
			problems: [{ path: '', problem: 'is not a JSON object' }],
		});
	});

	it.each([
		[undefined, 'is missing'],
		[null, 'is not a text'],
		[7, 'is not a text'],
	])('refuses the event %p', (event, problem) => {
		expect(readEnvelope({ ...fixture('webhook-accept'), event })).toEqual({
			ok: false,
			problems: [{ path: 'event', problem }],
		});
	});

	it('takes any other event, whatever else the body holds', () => {
		const body = { event: 'hosted_started', decision: 7, data: 'x' };

		expect(readEnvelope(body)).toEqual({ ok: true, value: body });
	});
});
