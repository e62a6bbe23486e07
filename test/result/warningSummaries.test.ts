import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { DECISIONS, SEVERITIES } from '../../nodes/IdentityVerification/contract/vocabulary';
import { resultItem } from '../../nodes/IdentityVerification/result/resultItem';
import { anyJson, anyText, objectJson, trickyKey } from '../kit/data/fuzzedJson';
import type { Members } from '../kit/data/fuzzedJson';
import { readResult } from '../kit/data/readResult';

// The warnings of Decision Only, which say nothing about a person.

const EVENT = { event: 'hosted_conclusive', decision: 'review' };

function itemOf(body: object): IDataObject {
	const { json } = resultItem(readResult(body), 'decisionOnly');
	return JSON.parse(JSON.stringify(json)) as IDataObject;
}

const summariesOf = (...warning: unknown[]) => itemOf({ ...EVENT, warning }).warnings;

const finding = (code: string, decision: unknown, severity?: unknown, confidence?: unknown) => ({
	code,
	decision,
	severity,
	confidence,
});

describe('the warnings of Decision Only', () => {
	it('have the keys that Simplified has, but none for text', () => {
		const warning = { ...finding('FAKE_ID', 'reject', 'high', 0.97), description: 'Ivo', data: {} };

		expect(summariesOf(warning)).toEqual([finding('FAKE_ID', 'reject', 'high', 0.97)]);
	});

	it('do not tell how many records were found', () => {
		const record = finding('AML_SANCTION', 'reject', 'high', 0.9);

		expect(summariesOf(...Array.from({ length: 230 }, () => record))).toEqual([record]);
	});

	it('are one for each code and decision, with the highest severity and confidence', () => {
		const summaries = summariesOf(
			finding('TEXT_FORGERY', 'review', 'medium', 0.7),
			finding('FAKE_ID', 'accept', 'low', 0.2),
			finding('TEXT_FORGERY', 'reject', 'high', 0.4),
			finding('TEXT_FORGERY', 'review', 'low', 0.9),
			finding('FAKE_ID', 'accept', 'high', 0.1),
		);

		expect(summaries).toEqual([
			finding('TEXT_FORGERY', 'review', 'medium', 0.9),
			finding('FAKE_ID', 'accept', 'high', 0.2),
			finding('TEXT_FORGERY', 'reject', 'high', 0.4),
		]);
	});

	it.each([undefined, null, 'critical', '', ['low'], true])(
		'have null where the service says %j, also beside one that is known',
		(said) => {
			const unknown = { code: 'A', severity: said, confidence: said, decision: said };
			const known = finding('A', said, 'low', 0);

			expect(summariesOf(unknown)).toEqual([finding('A', null, null, null)]);
			expect(summariesOf(unknown, known)).toEqual([finding('A', null, null, null)]);
			expect(summariesOf(known, unknown)).toEqual([finding('A', null, null, null)]);
		},
	);

	it('leave out a code that is not written like one, which unreadable says', () => {
		const warning = [finding('Ivo Varkov', 'reject', 'high', 1), finding('A', 'reject')];

		expect(itemOf({ ...EVENT, warning })).toMatchObject({
			warnings: [finding('A', 'reject', null, null)],
			unreadable: ['warning'],
		});
	});

	it.each([undefined, null, [], {}, 'Ivo'])('are an empty list for %j', (warning) => {
		expect(itemOf({ ...EVENT, warning }).warnings).toEqual([]);
	});
});

describe('whatever the service sends', () => {
	const DOCUMENTED = ['FAKE_ID', 'AML_SANCTION', ...SEVERITIES, ...DECISIONS].map((word) =>
		JSON.stringify(word),
	);
	const anyValue = fc.oneof(anyJson, fc.constantFrom(...DOCUMENTED, '0.9', '"0.9"', '1e400'));
	const anyKey = fc.oneof(
		fc.constantFrom('code', 'severity', 'confidence', 'decision', 'description', 'data'),
		anyText,
		trickyKey,
	);
	const anyWarning = fc.oneof(
		{ weight: 4, arbitrary: fc.array(fc.tuple(anyKey, anyValue)).map(objectJson) },
		{ weight: 1, arbitrary: anyJson },
	);
	const oneWithACode = fc
		.array(fc.tuple(anyKey, anyValue))
		.map((members: Members) => objectJson([...members, ['code', '"FAKE_ID"']]));
	const anyList = fc
		.array(fc.oneof(anyWarning, oneWithACode), { maxLength: 6 })
		.map((warnings) => `[${warnings.join()}]`);
	const anyWarnings = fc.oneof(
		{ weight: 5, arbitrary: anyList },
		{ weight: 1, arbitrary: anyJson },
	);
	const received = anyWarnings.map((warning) =>
		itemOf(JSON.parse(`{"event":"hosted_conclusive","decision":"review","warning":${warning}}`)),
	);

	it('a warning has a code, words of closed lists and a number, and no other has both', () => {
		fc.assert(
			fc.property(received, (item) => {
				const warnings = item.warnings as IDataObject[];
				const pairs = warnings.map(({ code, decision }) => `${String(code)} ${String(decision)}`);
				expect(new Set(pairs).size).toBe(pairs.length);
				for (const warning of warnings) {
					expect(Object.keys(warning)).toEqual(['code', 'severity', 'confidence', 'decision']);
					expect(warning.code).toMatch(/^[A-Z][A-Z0-9_]{0,99}$/);
					expect([...SEVERITIES, null]).toContain(warning.severity);
					expect([...DECISIONS, null]).toContain(warning.decision);
					expect(warning.confidence === null || Number.isFinite(warning.confidence)).toBe(true);
				}
			}),
			{ numRuns: 500 },
		);
	});

	it('the codes of the warnings are those of details', () => {
		fc.assert(
			fc.property(received, ({ warnings, details }) => {
				const codes = (warnings as IDataObject[]).map(({ code }) => code);
				expect([...new Set(codes)]).toEqual((details as IDataObject).warningCodes);
			}),
		);
	});

	it('nothing personal is in the item, whatever it is written into', () => {
		const NAME = 'Ivo Varkov';
		const place = fc.constantFrom('code', 'severity', 'confidence', 'decision', 'data', 'x', NAME);
		const wrapped = fc.constantFrom<unknown>(
			NAME,
			[NAME],
			{ [NAME]: NAME },
			`X ${NAME}`,
			`X\n${NAME}`,
		);
		const warning = fc.tuple(place, wrapped).map(([key, value]) => ({
			...finding('FAKE_ID', 'reject', 'high', 1),
			[key]: value,
		}));
		fc.assert(
			fc.property(fc.array(fc.oneof(warning, wrapped)), (list) => {
				expect(JSON.stringify(itemOf({ ...EVENT, warning: list }))).not.toMatch(/ivo|varkov/i);
			}),
		);
	});
});
