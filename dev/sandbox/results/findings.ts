import type { Decision, Result, Warning } from '../interface';

const POINTS = { low: 1, medium: 10, high: 50 };

/** What was found, and the scores and the decision that follow from it. */
type Findings = Pick<Result, 'warning' | 'reviewScore' | 'rejectScore' | 'decision'>;

export function findings(warning: Warning[]): Findings {
	const reviewScore = score(warning, 'review');
	const rejectScore = score(warning, 'reject');
	const decision = rejectScore > 0 ? 'reject' : reviewScore > 0 ? 'review' : 'accept';
	return { warning, reviewScore, rejectScore, decision };
}

/** Points of the warnings that ask for a decision, weighted by confidence. */
function score(warnings: Warning[], decision: Decision): number {
	const points = warnings
		.filter((warning) => warning.decision === decision)
		.map(({ severity, confidence }) => POINTS[severity] * confidence);
	return Math.round(points.reduce((sum, value) => sum + value, 0));
}
