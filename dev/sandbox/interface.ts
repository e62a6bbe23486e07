import { z } from 'zod/v4';

// docs/interface.md as the sandbox reads it. Nothing here is taken from the package, so a mistake
// in the package's reading gets a request refused, or an answer misread, instead of going unseen.

/**
 * Header with the customer's key, in lower case as Node.js has it (interface.md#authentication).
 */
export const KEY_HEADER = 'x-api-key';

/** The `event` of a webhook (interface.md#webhook). */
export const COMPLETED_EVENT = 'hosted_conclusive';

/** Newest `version` of a hosted link (interface.md#hosted-link). */
export const NEWEST_VERSION = 3;

/** What is verified. A face beside a document is compared with the document's portrait. */
export interface Checks {
	document: boolean;
	face: boolean;
	signature: boolean;
}

/** A row for each `mode` of a hosted link, from 0 to 3 (interface.md#hosted-link). */
export const MODES = [
	{ name: 'ID and Face Verification', credits: 2, document: true, face: true, signature: false },
	{ name: 'ID Verification', credits: 1, document: true, face: false, signature: false },
	{ name: 'Face Verification', credits: 1, document: false, face: true, signature: false },
	{ name: 'E-Signature', credits: 1, document: false, face: false, signature: true },
] as const satisfies (Checks & { name: string; credits: number })[];

/** The mode that needs `referenceFace`. */
export const FACE_MODE = 2;

/** The mode that needs `contractSign`. */
export const SIGNATURE_MODE = 3;

/**
 * Body of `POST /scan` (interface.md#scan), with further fields. Whether a document is required
 * isn't documented: here it is.
 */
export const scanBody = z.looseObject({
	profile: z.string(),
	document: z.string(),
	face: z.string().optional(),
});

/** Body of `POST /hosted` (interface.md#hosted-link), with further fields. */
export const linkBody = z.looseObject({
	version: z.int(),
	customData: z.string(),
	mode: z.literal([0, 1, FACE_MODE, SIGNATURE_MODE]),
	profile: z.string(),
	referenceFace: z.string().optional(),
	contractSign: z.string().optional(),
});
export type LinkBody = z.infer<typeof linkBody>;

/** Answer to `POST /hosted` (interface.md#hosted-link). */
export type HostedLink = Record<'reference' | 'url' | 'qrCode', string>;

export type Decision = 'accept' | 'review' | 'reject';

/** Answer to a scan, and what a webhook tells (interface.md#result). */
export interface Result {
	success: boolean;
	transactionId: string;
	data: Data;
	outputImage: Partial<Record<'front' | 'back' | 'face', string>>;
	outputFile: Record<'name' | 'fileName' | 'fileUrl', string>[];
	warning: Warning[];
	missingFields: string[];
	profileId: string;
	reviewScore: number;
	rejectScore: number;
	decision: Decision;
	quota: number;
	credit: number;
	executionTime: number;
}

/** The readings of each field (interface.md#fields). */
export type Data = Record<string, Reading[]>;

export interface Reading {
	value: string;
	confidence: number;
	/** Missing for areas of the image, which have no text. */
	source?: 'visual';
	index: number;
	inputBox?: Box;
	outputBox?: Box;
}

type Point = [x: number, y: number];
export type Box = [Point, Point, Point, Point];

/** A finding (interface.md#warnings). */
export interface Warning {
	code: string;
	description: string;
	severity: 'low' | 'medium' | 'high';
	confidence: number;
	decision: Decision;
	data?: SanctionRecord;
}

/** What a warning AML_SANCTION has as `data` (interface.md#warnings). */
export type SanctionRecord = Record<'database' | 'entity' | 'schema' | 'time', string> &
	Record<'alias' | 'birthplace' | 'fullname' | 'nationality' | 'note' | 'source', string[]> &
	Partial<Record<'address' | 'program' | 'status', string[]>> & { documentnumber: string | null };
