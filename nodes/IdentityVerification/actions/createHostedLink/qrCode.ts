import type { IBinaryData } from 'n8n-workflow';

import type { ConnectedItem } from '../../item';
import { storedBy } from '../../transport/storing';
import { Transfer } from '../../transport/transfer';

interface Picture {
	/** Of an image, in lower case. */
	mimeType: string;
	content: Buffer;
}

/** `data:`, a type with parameters, and the content. */
const DATA_URI = /^data:([^,]*),(.*)$/is;

/** How the base64 text of an image begins. */
const BASE64_STARTS = [
	{ start: 'iVBORw0KGgo', mimeType: 'image/png' },
	{ start: '/9j/', mimeType: 'image/jpeg' },
	{ start: 'R0lGOD', mimeType: 'image/gif' },
	{ start: 'UklGR', mimeType: 'image/webp' },
];

/**
 * Stores a QR code as binary data. Its format isn't documented (interface.md#hosted-link). The link
 * is paid for, so a storage that hangs is waited for as long as the Timeout allows. Never rejects.
 * @returns undefined when the text is no picture, or n8n couldn't store it
 */
export async function storeQrCode(
	{ context, timeoutMs }: ConnectedItem,
	qrCode: string,
): Promise<IBinaryData | undefined> {
	const picture = readPicture(qrCode.trim());
	if (!picture) return undefined;
	const { mimeType, content } = picture;
	const fileName = `qr-code.${mimeType.replace(/^image\/(\w+).*$/, '$1')}`;
	const transfer = new Transfer(context.getExecutionCancelSignal(), timeoutMs);
	const work = context.helpers.prepareBinaryData(content, fileName, mimeType);
	const stored = await storedBy(transfer, work);
	transfer.close();
	return stored.kind === 'stored' ? stored.binary : undefined;
}

function readPicture(text: string): Picture | undefined {
	const [, type, content = ''] = DATA_URI.exec(text) ?? [];
	const picture = type === undefined ? ofBase64(text) : ofDataUri(type, content);
	return picture?.content.length ? picture : undefined;
}

function ofBase64(text: string): Picture | undefined {
	const known = BASE64_STARTS.find(({ start }) => text.startsWith(start));
	return known && { mimeType: known.mimeType, content: Buffer.from(text, 'base64') };
}

/**
 * A type is such as `image/png;charset=utf-8;base64`. Without base64, the content is
 * percent-encoded, as SVG can be.
 */
function ofDataUri(type: string, content: string): Picture | undefined {
	const [mimeType = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
	if (!/^image\/[\w.+-]+$/.test(mimeType)) return undefined;
	const encoding = parameters.includes('base64') ? 'base64' : 'utf8';
	return { mimeType, content: Buffer.from(decoded(content), encoding) };
}

/** Without percent-encoding, unless it isn't valid: a percent sign can be the content's own. */
function decoded(content: string): string {
	try {
		return decodeURIComponent(content);
	} catch {
		return content;
	}
}
