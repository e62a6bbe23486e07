import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isAgentTool } from '../runtime';
import type { HostedLink, Received } from '../contract';
import type { Done } from './operation';
import { LEFT_OUT_HINT } from './outputHint';

const DATA_URI = /^data:(image\/[\w.+-]+);base64,(.*)$/s;

/** How the base64 text of an image file begins. */
const SIGNATURES: ReadonlyArray<[start: string, mimeType: string]> = [
	['iVBORw0KGgo', 'image/png'],
	['/9j/', 'image/jpeg'],
	['R0lGOD', 'image/gif'],
];

const NO_QR_CODE_HINT = 'A QR code was not an image, or could not be stored as binary data.';

interface LinkOptions {
	/** Binary field for the QR code; empty where it isn't asked for. */
	qrCodeField: string;
	/** What a Wait for Result finds its link by. */
	awaited?: { customData: string; awaitedBy: string; createdAt: string };
}

/** The item of a new hosted link (interface.md#hosted-link). */
export async function linkItem(
	context: IExecuteFunctions,
	itemIndex: number,
	{ value: { reference, url, qrCode }, unreadable }: Received<HostedLink>,
	{ qrCodeField, awaited }: LinkOptions,
): Promise<Done> {
	const isIncomplete = unreadable.length > 0;
	const hints = isIncomplete ? [LEFT_OUT_HINT] : [];
	const item: INodeExecutionData = {
		json: {
			reference: reference?.toString() ?? null,
			url,
			// A model can't use the picture, and would be sent some thousand characters of base64.
			...(!isAgentTool(context) && { qrCode: qrCode ?? null }),
			...awaited,
			...(isIncomplete && { unreadable }),
		},
		pairedItem: { item: itemIndex },
	};
	if (!qrCodeField) return { item, hints };
	// The link is paid for: it's put out also when its picture can't be stored.
	const binary = await qrCodeBinary(context, qrCode ?? '').catch(() => undefined);
	return binary
		? { item: { ...item, binary: { [qrCodeField]: binary } }, hints }
		: { item, hints: [...hints, NO_QR_CODE_HINT] };
}

/**
 * Stores the `qrCode` of a hosted link (interface.md#hosted-link) as binary data.
 * @returns undefined when it is neither a data URI nor the base64 text of an image: its form isn't shown
 */
async function qrCodeBinary(
	{ helpers }: IExecuteFunctions,
	qrCode: string,
): Promise<IBinaryData | undefined> {
	const [, type, content] = DATA_URI.exec(qrCode) ?? [];
	const base64 = content ?? qrCode;
	const mimeType = type ?? SIGNATURES.find(([start]) => base64.startsWith(start))?.[1];
	if (!mimeType) return undefined;
	const extension = mimeType.replace(/^image\/(\w+).*$/, '$1');
	return await helpers.prepareBinaryData(
		Buffer.from(base64, 'base64'),
		`qr-code.${extension}`,
		mimeType,
	);
}
