import { z } from 'zod/v4';

import { hasNoDecision, statedFailure } from './decision';
import { isRecord, readLeniently } from './read';
import type { LenientReading } from './read';
import { scanResult, text } from './result';
import type { ScanResult } from './result';
import { MODES } from './vocabulary';

/** An image as text. */
const base64 = z.string().brand<'base64'>();
export type Base64 = z.infer<typeof base64>;

const scanFields = z.object({ profile: z.string(), document: base64, face: base64.optional() });
export type ScanRequest = z.infer<typeof scanFields>;

/** Body of `POST /scan` (interface.md#scan); it may have further fields. */
export const scanRequest = scanFields.passthrough();

const hostedFields = z.object({
	version: z.number().int(),
	customData: z.string(),
	mode: z.number().refine((value) => MODES.some(({ mode }) => mode === value)),
	profile: z.string(),
	referenceFace: base64.optional(),
	contractSign: z.string().optional(),
});
export type HostedRequest = z.infer<typeof hostedFields>;

/** Body of `POST /hosted` (interface.md#hosted-link); it may have further fields. */
export const hostedRequest = hostedFields.passthrough();

/** Answer to `POST /hosted` (interface.md#hosted-link). What was paid for is the `url`. */
export const hostedLink = z
	.object({
		reference: text.nullish(),
		url: z.string().regex(/\S/),
		qrCode: z.string().nullish(),
	})
	.passthrough();
export type HostedLink = z.infer<typeof hostedLink>;

/** A call of the service: what is sent, and what comes back. */
export interface Endpoint<Request, Result> {
	method: 'POST';
	/** Path below the base URL. */
	path: string;
	/** Its documented fields. */
	fields: readonly (keyof Request)[];
	/** What its answer is called in a message. */
	answer: string;
	/** What the service's web portal finds it by: the field, and its name in a message. */
	id: { field: string; name: string };
	parse(body: unknown): LenientReading<Result>;
}

/** Reads a document in one request (interface.md#scan). */
export const SCAN: Endpoint<ScanRequest, ScanResult> = {
	method: 'POST',
	path: '/scan',
	fields: scanFields.keyof().options,
	answer: 'scan result',
	id: { field: 'transactionId', name: 'transaction' },
	parse: readScanResult,
};

/** Creates a hosted verification link (interface.md#hosted-link). */
export const CREATE_HOSTED_LINK: Endpoint<HostedRequest, HostedLink> = {
	method: 'POST',
	path: '/hosted',
	fields: hostedFields.keyof().options,
	answer: 'hosted link',
	id: { field: 'reference', name: 'link' },
	parse: (body) => readLeniently(hostedLink, body),
};

/** An answer without a decision is a result that a person looks at, unless it says that the request failed. */
function readScanResult(body: unknown): LenientReading<ScanResult> {
	const failure = isRecord(body) && hasNoDecision(body) ? statedFailure(body) : undefined;
	return failure ? { ok: false, problems: [failure] } : readLeniently(scanResult, body);
}
