import { z } from 'zod/v4';

import { hasNoDecision, statedFailure } from './decision';
import { isRecord, readLeniently } from './read';
import type { LenientReading } from './read';
import { scanResult, text } from './result';
import type { ScanResult } from './result';
import type { Mode } from './vocabulary';

/** An image as text. */
export type Base64 = string & z.$brand<'base64'>;

/** Body of `POST /scan` (interface.md#scan); it may have further fields. */
export interface ScanRequest {
	profile: string;
	document: Base64;
	face?: Base64;
}

/**
 * Body of `POST /hosted` (interface.md#hosted-link); it may have further fields. `version` is one of them: nothing but
 * its newest value is documented, so it has no parameter.
 */
export interface LinkRequest {
	customData: string;
	mode: Mode;
	profile: string;
	referenceFace?: Base64;
	contractSign?: string;
}

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
	/** Its documented fields that are set by parameters. */
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
	fields: ['profile', 'document', 'face'],
	answer: 'scan result',
	id: { field: 'transactionId', name: 'transaction' },
	parse: readScanResult,
};

/** Creates a hosted verification link (interface.md#hosted-link). */
export const CREATE_HOSTED_LINK: Endpoint<LinkRequest, HostedLink> = {
	method: 'POST',
	path: '/hosted',
	fields: ['customData', 'mode', 'profile', 'referenceFace', 'contractSign'],
	answer: 'hosted link',
	id: { field: 'reference', name: 'link' },
	parse: (body) => readLeniently(hostedLink, body),
};

/** An answer without a decision is a result that a person looks at, unless it says that the request failed. */
function readScanResult(body: unknown): LenientReading<ScanResult> {
	const failure = isRecord(body) && hasNoDecision(body) ? statedFailure(body) : undefined;
	return failure ? { ok: false, problems: [failure] } : readLeniently(scanResult, body);
}
