import type { IBinaryData, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isAgentTool } from '../agentTool';
import type { HostedLink } from '../contract';
import type { Connection } from '../transport';

const DATA_URI = /^data:(image\/[\w.+-]+);base64,(.*)$/s;

/** How the base64 text of an image file begins. */
const SIGNATURES: ReadonlyArray<[start: string, mimeType: string]> = [
	['iVBORw0KGgo', 'image/png'],
	['/9j/', 'image/jpeg'],
	['R0lGOD', 'image/gif'],
];

/** The item of a new hosted link (§2.5), with the QR code as binary data where that is asked for. */
export async function linkItem(
	{ context, hints }: Connection,
	itemIndex: number,
	{ reference, url, qrCode }: HostedLink,
): Promise<INodeExecutionData> {
	const item: INodeExecutionData = {
		// A model can't use the picture, and would be sent some thousand characters of base64.
		json: { reference, url, ...(!isAgentTool(context) && { qrCode: qrCode ?? null }) },
		pairedItem: { item: itemIndex },
	};
	const field = String(context.getNodeParameter('options.qrCodeBinaryField', itemIndex, ''));
	if (!field) return item;
	// The link is paid for: it's put out also when its picture can't be stored.
	const binary = await qrCodeBinary(context, qrCode ?? '').catch(() => undefined);
	if (binary) return { ...item, binary: { [field]: binary } };
	hints.add('A QR code was not an image that could be stored as binary data.');
	return item;
}

/**
 * Stores the `qrCode` of a hosted link (§2.5) as binary data.
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
