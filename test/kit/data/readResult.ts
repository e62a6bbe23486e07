import { SCAN } from '../../../nodes/IdentityVerification/contract/endpoints';
import { parseBody } from '../../../nodes/IdentityVerification/contract/parseBody';
import type {
	LenientReading,
	ParsedBody,
	Reading,
	Received,
} from '../../../nodes/IdentityVerification/contract/read';
import { readWebhookResult } from '../../../nodes/IdentityVerification/contract/result';
import type {
	ScanResult,
	VerificationResult,
	WebhookResult,
} from '../../../nodes/IdentityVerification/contract/result';

/** Parses a body all of whose bytes were text. */
export const parseText = (text: string): Reading<ParsedBody> => parseBody({ text, isWhole: true });

/** A body that was JSON as it arrived. */
export const asArrived = (json: unknown): ParsedBody => ({ json, isRepaired: false });

export const readScan = (json: unknown, statusCode = 200): LenientReading<ScanResult> =>
	SCAN.parse(asArrived(json), statusCode);

export const readWebhook = (json: unknown): LenientReading<WebhookResult> =>
	readWebhookResult(asArrived(json));

/** A result as the nodes read it, from the body of a webhook or of the answer to a scan. */
export function readResult(body: object): Received<VerificationResult> {
	const reading = 'event' in body ? readWebhook(body) : readScan(body);
	if (!reading.ok) throw new Error('The test has a body that is no result');
	return reading;
}

/** A reading in plain values, to compare it with what was sent. */
export function plain(reading: LenientReading<object>) {
	if (!reading.ok) return reading;
	const { value, unreadable, raw } = reading;
	const maps = Object.entries(value).filter(
		([key, member]) => ['data', 'outputImage'].includes(key) && Array.isArray(member),
	) as [string, [string, unknown][]][];
	const objects = maps.map(([key, pairs]) => [key, Object.fromEntries(pairs)] as const);
	return { value: { ...value, ...Object.fromEntries(objects) }, unreadable, body: raw.value };
}
