import { z } from 'zod/v4';

import { hasNoDecision, statedFailure } from './decision';
import { isRecord, readLeniently } from './read';
import type { LenientReading } from './read';
import { scanResult, text } from './result';
import type { ScanResult } from './result';
import { MODES } from './vocabulary';

/** Body of `POST /scan` (§4.1). Images are base64 text. Loose: other parameters are not shown. */
export const scanRequest = z
	.object({ profile: z.string(), document: z.string(), face: z.string().optional() })
	.passthrough();
export type ScanRequest = z.infer<typeof scanRequest>;

/**
 * Body of `POST /hosted` (§4.2). The types of `referenceFace` and `contractSign` are not shown:
 * this package sends base64 text and the template ID as text.
 */
export const hostedRequest = z
	.object({
		version: z.number().int(),
		customData: z.string(),
		mode: z.number().refine((value) => MODES.some(({ mode }) => mode === value)),
		profile: z.string(),
		referenceFace: z.unknown().optional(),
		contractSign: z.unknown().optional(),
	})
	.passthrough();
export type HostedRequest = z.infer<typeof hostedRequest>;

/** Answer to `POST /hosted` (§2.5). What was paid for is the `url`. */
export const hostedLink = z
	.object({
		reference: text.nullish(),
		url: z.string().regex(/\S/),
		qrCode: z.string().nullish(),
	})
	.passthrough();
export type HostedLink = z.infer<typeof hostedLink>;

/** A call of the service with the parser of its answer. */
export interface Endpoint<Result> {
	method: 'POST';
	/** Path below the base URL. */
	path: string;
	/** What its answer is called in a message. */
	answer: string;
	/** What the service's web portal finds it by: the field, and its name in a message. */
	id: { field: string; name: string };
	parse(body: unknown): LenientReading<Result>;
}

/** Reads a document in one request (§4.1). */
export const SCAN: Endpoint<ScanResult> = {
	method: 'POST',
	path: '/scan',
	answer: 'scan result',
	id: { field: 'transactionId', name: 'transaction' },
	parse: readScanResult,
};

/** Creates a hosted verification link (§4.2). */
export const CREATE_HOSTED_LINK: Endpoint<HostedLink> = {
	method: 'POST',
	path: '/hosted',
	answer: 'hosted link',
	id: { field: 'reference', name: 'link' },
	parse: (body) => readLeniently(hostedLink, body),
};

/** An answer without a decision is a result for a person, unless it says itself that it is none. */
function readScanResult(body: unknown): LenientReading<ScanResult> {
	const failure = isRecord(body) && hasNoDecision(body) ? statedFailure(body) : undefined;
	return failure ? { ok: false, problems: [failure] } : readLeniently(scanResult, body);
}
