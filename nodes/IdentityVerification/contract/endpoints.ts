import { z } from 'zod';

import { isId } from './ids';
import { readLeniently } from './read';
import type { LenientReading, ParsedBody, WithRequired } from './read';
import { readScanResult } from './result';
import type { ScanResult } from './result';
import { field } from './shapes';
import type { ValuesOf } from './shapes';
import type { Mode } from './vocabulary';

/** An image as text. */
export type Base64 = string & { readonly __brand: 'base64' };

/** Body of `POST /scan` (interface.md#scan); it may have further fields. */
export interface ScanRequest {
	profile: string;
	document: Base64;
	face?: Base64;
}

/**
 * Body of `POST /hosted` (interface.md#hosted-link); it may have further fields. `version` is one
 * of them: nothing but its newest value is documented, so it has no parameter.
 */
export interface LinkRequest {
	customData: string;
	mode: Mode;
	profile: string;
	referenceFace?: Base64;
	contractSign?: string;
}

/** Answer to `POST /hosted` (interface.md#hosted-link). The `url` is what was paid for. */
const hostedLink = {
	url: field(z.string().regex(/\S/)),
	reference: field(z.custom<string | number>((value) => isId(value) && /\S/.test(String(value)))),
	qrCode: field(z.string().nullable()),
};
export type HostedLink = WithRequired<ValuesOf<typeof hostedLink>, 'url'>;

/** A POST to the service: what is sent, and how its answer is read. */
export interface Endpoint<Request, Result> {
	/** Path below the base URL. */
	path: string;
	/** The documented fields that parameters set. */
	fields: readonly (keyof Request)[];
	/** What its answer is called in a message. */
	answerName: string;
	/** The ID to look it up by: the field, and what a message calls it. */
	id: { field: string; name: string };
	/** Without these, JSON that has text before or after it is no answer. */
	essential: readonly string[];
	/** Reads an answer with a status of success. */
	parse(body: ParsedBody, statusCode: number): LenientReading<Result>;
}

/** Reads a document in one request (interface.md#scan). */
export const SCAN: Endpoint<ScanRequest, ScanResult> = {
	path: '/scan',
	fields: ['profile', 'document', 'face'],
	answerName: 'scan result',
	id: { field: 'transactionId', name: 'transaction' },
	essential: ['decision', 'transactionId'],
	parse: readScanResult,
};

/** Creates a hosted verification link (interface.md#hosted-link). */
export const CREATE_HOSTED_LINK: Endpoint<LinkRequest, HostedLink> = {
	path: '/hosted',
	fields: ['customData', 'mode', 'profile', 'referenceFace', 'contractSign'],
	answerName: 'hosted link',
	id: { field: 'reference', name: 'link' },
	essential: ['url', 'reference'],
	parse: (body, statusCode) =>
		readLeniently(body, { fields: hostedLink, required: ['url'], statusCode }),
};
