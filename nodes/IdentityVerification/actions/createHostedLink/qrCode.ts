import type { IBinaryData } from 'n8n-workflow';

import type { ConnectedItem } from '../../item';
import { storedBy } from '../../transport/storing';
import { Transfer } from '../../transport/transfer';

interface Picture {
	/** An image type, in lower case. */
	mimeType: string;
	content: Buffer;
}

/** Captures the type with its parameters, and the content. */
const DATA_URI = /^data:([^,]*),(.*)$/is;

/** How the base64 text of an image begins. */
const BASE64_STARTS = [
	{ start: 'iVBORw0KGgo', mimeType: 'image/png' },
	{ start: '/9j/', mimeType: 'image/jpeg' },
];

/**
 * Stores a QR code as binary data. Its format isn't documented (interface.md#hosted-link). If n8n's
 * storage hangs, waits for it only as long as the Timeout allows, because the link is already paid
 * for and must be returned. Never rejects.
 * @returns undefined when the text isn't an image, or n8n couldn't store it
 */
export async function storeQrCode(
	{ context, timeoutMs }: ConnectedItem,
	qrCode: string,
): Promise<IBinaryData | undefined> {
	const picture = readPicture(qrCode.trim());
	if (!picture) return undefined;
	const { mimeType, content } = picture;
	const fileName = `qr-code.${mimeType.replace(/^image\/(\w+).*$/s, '$1')}`;
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
 * The type looks like `image/png;charset=utf-8;base64`. Without `base64`, the content is
 * percent-encoded, which SVG images may be.
 */
function ofDataUri(type: string, content: string): Picture | undefined {
	const [mimeType = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
	if (!/^image\/[\w.+-]+$/.test(mimeType)) return undefined;
	const encoding = parameters.includes('base64') ? 'base64' : 'utf8';
	return { mimeType, content: Buffer.from(decoded(content), encoding) };
}

/**
 * Decodes percent-encoding. Content that isn't validly encoded is kept as it is, because its
 * percent signs may be its own.
 */
function decoded(content: string): string {
	try {
		return decodeURIComponent(content);
	} catch {
		return content;
	}
}
