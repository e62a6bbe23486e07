import { randomBytes } from 'node:crypto';

import type { Context } from '../context';
import type { Checks, Result } from '../interface';
import type { Profile } from '../profiles';
import { FACTS } from '../scenarios';
import type { Scenario } from '../scenarios';
import { newId } from '../state';
import { resultData } from './data';
import { today } from './dates';
import { findings } from './findings';
import { SPECIMENS, pictureType } from './specimens';
import type { ImageSide } from './specimens';

/**
 * What is verified, how it should end, and how the result refers to its pictures
 * (interface.md#result).
 */
export interface Verification {
	profile: Profile;
	scenario: Scenario;
	checks: Checks;
	pictures: 'url' | 'opaque';
	/** The document image that was sent, if it was small enough to keep. */
	document?: Buffer;
}

const OPAQUE_PICTURE_BYTES = 48;

/** Makes the result of a verification and keeps it for the files of the regional host. */
export function verify(verification: Verification, context: Context): Result {
	const { profile, scenario, checks, document } = verification;
	const { state } = context;
	const filesUrl = state.manners.at('files', context.filesUrl);
	const facts = FACTS[scenario];
	const transactionId = newId();
	const result: Result = {
		success: true,
		transactionId,
		data: resultData(facts, checks, today()),
		outputImage: outputImage(verification, `${filesUrl}/images/${transactionId}`),
		outputFile: profile.auditReport ? [auditReportFile(transactionId, filesUrl)] : [],
		missingFields: facts.missingFields ?? [],
		profileId: profile.id,
		...findings(facts.warnings),
		quota: state.quota,
		credit: state.credits,
		executionTime: executionTime(),
	};
	const front = document && pictureType(document) ? document : SPECIMENS.front;
	state.results.add(transactionId, { result, pictures: { ...SPECIMENS, front } });
	return result;
}

/** File name of an audit report. */
export function auditReportName(transactionId: string): string {
	return `audit-report-${transactionId}.pdf`;
}

function auditReportFile(transactionId: string, filesUrl: string) {
	const fileUrl = `${filesUrl}/reports/${transactionId}.pdf`;
	return { name: 'Audit Report', fileName: auditReportName(transactionId), fileUrl };
}

function outputImage({ checks, pictures }: Verification, address: string) {
	const opaque = () => randomBytes(OPAQUE_PICTURE_BYTES).toString('base64url');
	const value = (side: ImageSide) => (pictures === 'url' ? `${address}/${side}` : opaque());
	return Object.fromEntries(sidesOf(checks, pictures).map((side) => [side, value(side)]));
}

/** A scan sees one side of the document, the hosted page asks for both. */
function sidesOf(checks: Checks, pictures: Verification['pictures']): ImageSide[] {
	if (checks.document) return pictures === 'url' ? ['front', 'face'] : ['front', 'back', 'face'];
	return checks.face ? ['face'] : [];
}

/** Seconds, as such a service would need them; the sandbox itself answers at once. */
function executionTime(): number {
	return Math.round(800 + Math.random() * 1_600) / 1_000;
}
