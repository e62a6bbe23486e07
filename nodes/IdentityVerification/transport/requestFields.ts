import type { Base64 } from '../contract/endpoints';
import type { ByteStream } from './stream';

interface KnownImage {
	/** Lets a later try recognize the image: the ID of the stored file, or a SHA-256 in hex. */
	identity: string;
	/** What a message may call it. */
	name?: string;
}

/** An image that becomes base64 on its way out. */
export interface StreamedImage extends KnownImage {
	/** Size of the image in bytes, before base64. */
	bytes: number;
	open(): Promise<ByteStream>;
}

/** An image that n8n holds in memory. */
export interface TextImage extends KnownImage {
	/** Its base64 text, for JSON.stringify. */
	toJSON(): string;
}

/**
 * An image of a request. A stored image is read while the request is sent, again for every attempt.
 */
export type Image = StreamedImage | TextImage;

/** What is sent to an endpoint. */
export interface RequestFields<Request> {
	/** The documented fields; each image becomes its base64 text. */
	own: { [Key in keyof Request]: Request[Key] extends Base64 | undefined ? Image : Request[Key] };
	/** Fields that the interface doesn't document. An image among them becomes base64 text, too. */
	additional: Record<string, unknown>;
}
