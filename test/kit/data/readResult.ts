import type { IDataObject } from 'n8n-workflow';

import { SCAN } from '../../../nodes/IdentityVerification/contract/endpoints';
import { readWebhookResult } from '../../../nodes/IdentityVerification/contract/result';
import type { LenientReading, Received } from '../../../nodes/IdentityVerification/contract/read';
import type {
	Envelope,
	VerificationResult,
} from '../../../nodes/IdentityVerification/contract/result';

/** A result as the nodes read it, from the body of a webhook or of the answer to a scan. */
export function readResult(body: IDataObject): Received<VerificationResult> {
	const reading = 'event' in body ? readWebhookResult(body as Envelope) : SCAN.parse(body);
	if (!reading.ok) throw new Error('The test has a body that is no result');
	return reading;
}

/** A reading in plain values, to compare it with what was sent. */
export function plain(reading: LenientReading<object>) {
	if (!reading.ok) return reading;
	const { value, unreadable, body } = reading;
	const { data, ...rest } = value as { data?: [string, unknown][] | null };
	return {
		value: data ? { ...rest, data: Object.fromEntries(data) } : value,
		unreadable: unreadable.list(),
		body,
	};
}
