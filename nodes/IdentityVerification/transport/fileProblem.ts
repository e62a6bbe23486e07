import { kindOf } from '../fileKind';

/** How many bytes are needed to tell whether a file can be what it is called. */
export const CHECKED_BYTES = 1_024;

const IMAGE_NAME = /\.(jpe?g|png|webp|gif|bmp|tiff?|hei[cf]|avif)$/i;

/** What a file is called. */
export interface Called {
	fileName: string;
	/** Whether the result calls it an image. */
	isImage: boolean;
	/** As stated by the server; may be missing. */
	mimeType: string | undefined;
}

/**
 * Says why a file can't be what it is called, as a sign-in page can't be a report. Undefined if
 * nothing is wrong with it.
 * @param head its first `CHECKED_BYTES`, or all of it if it is shorter
 */
export function fileProblem(
	{ fileName, isImage, mimeType = '' }: Called,
	head: Buffer,
): string | undefined {
	if (head.length === 0) return 'it is empty';
	const type = mimeType.toLowerCase();
	const isPdf = /\.pdf$/i.test(fileName) || type === 'application/pdf';
	if (isPdf && !head.includes('%PDF')) return 'it should be a PDF file, but it is not one';
	const isPicture = isImage || IMAGE_NAME.test(fileName) || type.startsWith('image/');
	return isPicture && kindOf(head) === 'text' ? 'it should be an image, but it is text' : undefined;
}
