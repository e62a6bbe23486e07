/** The character that replaces bytes that aren't UTF-8. */
export const NO_TEXT = '\ufffd';

/** The text of a body. */
export interface BodyText {
	text: string;
	/** Whether all of its bytes were text. */
	isWhole: boolean;
}

/**
 * Decodes a body. JSON is UTF-8, whatever charset its content type declares. Removes a byte order
 * mark.
 */
export function decode(bytes?: Uint8Array): BodyText {
	try {
		return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), isWhole: true };
	} catch {
		return { text: new TextDecoder().decode(bytes), isWhole: false };
	}
}
