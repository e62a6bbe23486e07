import type { Result } from '../../dev/sandbox/interface';
import { useFresh } from '../kit/service/sandbox';
import { SandboxUnderTest, json } from './support/sandboxUnderTest';

const DAY_MS = 86_400_000;

const client = useFresh(new SandboxUnderTest());

async function scan(profile: string, fields: object = {}): Promise<Result> {
	return await json(await client.scan({ profile, ...fields }));
}

function text({ data }: Result, key: string): string {
	return String(data[key]?.[0]?.value);
}

function codes({ warning }: Result): unknown[] {
	return warning.map(({ code }) => code);
}

it.each([
	['sandbox-onboarding', 'accept', []],
	['sandbox-accept', 'accept', []],
	['sandbox-eighteen', 'accept', []],
	['sandbox-seventeen', 'accept', []],
	['sandbox-no-age', 'accept', []],
	[
		'sandbox-low-confidence',
		'review',
		['LOW_TEXT_CONFIDENCE', 'LOW_TEXT_CONFIDENCE', 'MISSING_EYE_COLOR'],
	],
	['sandbox-expired', 'reject', ['DOCUMENT_EXPIRED']],
	['sandbox-aml', 'reject', ['AML_SANCTION', 'AML_SANCTION', 'AML_SANCTION']],
	['sandbox-text-forgery', 'reject', ['TEXT_FORGERY', 'TEXT_FORGERY']],
	['sandbox-empty-data', 'review', ['INVALID_CAMERA_PERSPECTIVE']],
])('%s ends with %s', async (profile, decision, warnings) => {
	const result = await scan(profile);
	expect(result).toMatchObject({ success: true, decision, profileId: profile });
	expect(codes(result)).toEqual(warnings);
	expect(Object.keys(result)).not.toContain('event');
	const { reviewScore, rejectScore } = result;
	const highest = rejectScore ? 'reject' : reviewScore ? 'review' : 'accept';
	expect(highest).toBe(decision);
});

it('a profile without an audit report has none in its results', async () => {
	await client.setProfile('sandbox-accept', { auditReport: false });
	expect((await scan('sandbox-accept')).outputFile).toEqual([]);
});

const DATED = ['sandbox-accept', 'sandbox-eighteen', 'sandbox-seventeen', 'sandbox-expired'];

it.each(DATED)('%s has dates that fit today', async (profile) => {
	const result = await scan(profile);
	const daysTo = (key: string) =>
		(Date.parse(text(result, key)) - Math.floor(Date.now() / DAY_MS) * DAY_MS) / DAY_MS;
	expect(Number(text(result, 'daysToExpiry'))).toBe(daysTo('expiry'));
	expect(Number(text(result, 'daysFromIssue'))).toBe(-daysTo('issued'));
	const years = -daysTo('dob') / 365.2425;
	expect(Math.abs(Number(text(result, 'age')) + 0.5 - years)).toBeLessThanOrEqual(0.51);
	for (const name of ['dob', 'issued', 'expiry']) {
		const parts = ['Year', 'Month', 'Day'].map((part) => text(result, name + part));
		expect(parts).toEqual(
			text(result, name)
				.split('-')
				.map((part) => part.replace(/^0/, '')),
		);
	}
});

it.each([
	['sandbox-eighteen', '18'],
	['sandbox-seventeen', '17'],
	['sandbox-no-age', undefined],
])('%s has the age %s', async (profile, age) => {
	const { data, missingFields } = await scan(profile);
	expect(data.age?.[0]?.value).toBe(age);
	expect(missingFields.includes('age')).toBe(age === undefined);
});
