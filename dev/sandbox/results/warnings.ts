import type { Decision, Severity, Warning } from '../../../nodes/IdentityVerification/contract';

import type { Scenario } from '../scenarios';
import { sanctionWarnings } from './sanctions';

const WARNINGS: Record<Scenario, Warning[]> = {
	accept: [],
	lowConfidence: [
		{
			code: 'LOW_TEXT_CONFIDENCE',
			description: 'The text of address1 is hard to read.',
			severity: 'medium',
			confidence: 0.59,
			decision: 'review',
		},
		{
			code: 'LOW_TEXT_CONFIDENCE',
			description: 'The text of documentNumber is hard to read.',
			severity: 'medium',
			confidence: 0.44,
			decision: 'review',
		},
		{
			code: 'MISSING_EYE_COLOR',
			description: 'The eye color is not on the document.',
			severity: 'low',
			confidence: 0.9,
			decision: 'accept',
		},
	],
	expired: [
		{
			code: 'DOCUMENT_EXPIRED',
			description: 'The document has expired.',
			severity: 'high',
			confidence: 1,
			decision: 'reject',
		},
	],
	aml: sanctionWarnings(),
	textForgery: [
		{
			code: 'TEXT_FORGERY',
			description: 'The text of dob looks altered.',
			severity: 'high',
			confidence: 0.93,
			decision: 'reject',
		},
		{
			code: 'TEXT_FORGERY',
			description: 'The text of expiry looks altered.',
			severity: 'high',
			confidence: 0.88,
			decision: 'reject',
		},
	],
	emptyData: [
		{
			code: 'INVALID_CAMERA_PERSPECTIVE',
			description: 'The document was photographed at too steep an angle.',
			severity: 'medium',
			confidence: 0.82,
			decision: 'review',
		},
	],
};

const POINTS: Record<Severity, number> = { low: 1, medium: 10, high: 50 };

/** The findings of a scenario, and the scores and the decision that follow from them. */
export interface Findings {
	warning: Warning[];
	reviewScore: number;
	rejectScore: number;
	decision: Decision;
}

export function findings(scenario: Scenario): Findings {
	const warning = WARNINGS[scenario];
	const reviewScore = score(warning, 'review');
	const rejectScore = score(warning, 'reject');
	const decision = rejectScore > 0 ? 'reject' : reviewScore > 0 ? 'review' : 'accept';
	return { warning, reviewScore, rejectScore, decision };
}

/** Points of the warnings that ask for a decision, weighted by confidence. */
function score(warnings: Warning[], decision: Decision): number {
	const points = warnings
		.filter((warning) => warning.decision === decision)
		.map(({ severity, confidence }) => POINTS[severity ?? 'low'] * (confidence ?? 1));
	return Math.round(points.reduce((sum, value) => sum + value, 0));
}
