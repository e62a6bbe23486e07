import { z } from 'zod/v4';

import { read } from './read';
import type { Reading } from './read';
import { scanResult } from './result';
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

/** Answer to `POST /hosted` (§2.5). */
export const hostedLink = z
	.object({ reference: z.string(), url: z.string(), qrCode: z.string().nullish() })
	.passthrough();
export type HostedLink = z.infer<typeof hostedLink>;

/** A call of the service with the parser of its answer. */
export interface Endpoint<Result> {
	method: 'POST';
	/** Path below the base URL. */
	path: string;
	/** What its answer is called in a message. */
	answer: string;
	parse(body: unknown): Reading<Result>;
}

/** Reads a document in one request (§4.1). */
export const SCAN: Endpoint<ScanResult> = {
	method: 'POST',
	path: '/scan',
	answer: 'scan result',
	parse: (body) => read(scanResult, body),
};

/** Creates a hosted verification link (§4.2). */
export const CREATE_HOSTED_LINK: Endpoint<HostedLink> = {
	method: 'POST',
	path: '/hosted',
	answer: 'hosted link',
	parse: (body) => read(hostedLink, body),
};
