import type { IBinaryData } from 'n8n-workflow';

import type { ConnectedItem } from '../../item';
import { readBase64 } from '../../parameters/image/base64';
import { storedBy } from '../../transport/storing';
import { Transfer } from '../../transport/transfer';

/** What can be stored, and how its base64 text begins. */
const FORMATS = [
	{ format: 'png', start: 'iVBORw0KGgo' },
	{ format: 'jpeg', start: '/9j/' },
];

/**
 * Stores a QR code as binary data if it is a PNG or JPEG, as base64 text or in a data URI: what it is
 * isn't documented (interface.md#hosted-link). If n8n's storage hangs, waits for it only as long as
 * the Timeout allows, because the link is already paid for and must be returned. Never rejects.
 * @returns undefined when the text is anything else, or n8n couldn't store it
 */
export async function storeQrCode(
	{ context, timeoutMs }: ConnectedItem,
	qrCode: string,
): Promise<IBinaryData | undefined> {
	const reading = readBase64(qrCode, 0);
	const base64 = reading.kind === 'base64' ? reading.text : '';
	const known = FORMATS.find(({ start }) => base64.startsWith(start));
	if (!known) return undefined;
	const { format } = known;
	const content = Buffer.from(base64, 'base64');
	const transfer = new Transfer(context.getExecutionCancelSignal(), timeoutMs);
	const work = context.helpers.prepareBinaryData(content, `qr-code.${format}`, `image/${format}`);
	const stored = await storedBy(transfer, work);
	transfer.close();
	return stored.kind === 'stored' ? stored.binary : undefined;
}
