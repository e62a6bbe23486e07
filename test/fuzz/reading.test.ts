import fc from 'fast-check';

import { SCAN } from '../../nodes/IdentityVerification/contract/endpoints';
import {
	readWebhookResult,
	recognizedDecision,
} from '../../nodes/IdentityVerification/contract/result';
import type { LenientReading } from '../../nodes/IdentityVerification/contract/read';
import type {
	Envelope,
	VerificationResult,
} from '../../nodes/IdentityVerification/contract/result';
import { resultItem } from '../../nodes/IdentityVerification/resultItem';
import { damagedMember, isStrict } from '../kit/fuzz/damage';
import { anyJson, objectJson } from '../kit/fuzz/json';
import type { Members } from '../kit/fuzz/json';
import { foreignWords } from '../kit/fuzz/paths';
import { result } from '../kit/fuzz/results';
import { assertFuzzed, FUZZ_RUNS } from '../kit/fuzz/runs';

const MINUTES = 60_000;

const RUNS = Math.ceil(FUZZ_RUNS / 4);

type Body = Record<string, unknown>;

const parse = (members: Members) => JSON.parse(objectJson(members)) as Body;

const isSide = ([key]: [key: string, json: string]) => !isStrict(key) && key !== 'success';

const readings = (body: Body): LenientReading<VerificationResult>[] => [
	readWebhookResult(body as Envelope),
	SCAN.parse(body),
];

/** Shapes a result that has to be readable, and gives the paths of what was left out. */
function shaped(reading: LenientReading<VerificationResult>): string[] {
	if (!reading.ok) throw new Error(`Refused for ${JSON.stringify(reading.problems)}`);
	const { unreadable } = reading;
	expect(unreadable.flatMap(foreignWords)).toEqual([]);
	expect(JSON.stringify(resultItem(reading, 'raw'))).toContain(
		JSON.stringify(reading.body).slice(0, -1),
	);
	const [simplified, decisionOnly] = [
		resultItem(reading, 'simplified'),
		resultItem(reading, 'decisionOnly'),
	];
	for (const item of [simplified, decisionOnly]) {
		expect(item.decision).toBe(recognizedDecision(reading.body) ?? null);
	}
	expect(simplified.unreadable).toEqual(unreadable.length > 0 ? unreadable : undefined);
	const leftOut = (decisionOnly.unreadable ?? []) as string[];
	expect(leftOut.slice(0, unreadable.length)).toEqual(unreadable);
	expect(leftOut.slice(unreadable.length).join('')).toMatch(/^(warning\[\d+\]\.code)*$/);
	return unreadable;
}

it(
	'a result is read without its damaged side fields, which are named, and keeps its decision',
	async () => {
		const damages = fc.array(damagedMember.filter(isSide), { minLength: 1, maxLength: 6 });
		await assertFuzzed(
			fc.tuple(result, damages),
			([{ members, decision }, damaged]) => {
				const body = parse([...members, ...damaged]);
				const before = JSON.stringify(body);
				for (const unreadable of readings(body).map(shaped)) {
					const named = new Set(unreadable.map((path) => /^\w+/.exec(path)?.[0]));
					expect(named).toEqual(new Set(damaged.map(([key]) => key)));
				}
				expect(recognizedDecision(body)).toBe(decision);
				expect(JSON.stringify(body)).toBe(before);
			},
			RUNS,
		);
	},
	20 * MINUTES,
);

it(
	'any answer to a scan is read or refused, and never fails to be',
	async () => {
		await assertFuzzed(
			anyJson,
			(json) => {
				const reading = SCAN.parse(JSON.parse(json));
				if (reading.ok) shaped(reading);
				else expect(reading.problems).toHaveLength(1);
			},
			RUNS,
		);
	},
	20 * MINUTES,
);
