import { toDataURL } from 'qrcode';

import type { Context } from './context';
import { FACE_MODE, NEWEST_VERSION, SIGNATURE_MODE } from './interface';
import type { HostedLink, LinkBody } from './interface';
import { Refusal } from './refusal';
import { newId } from './state';

/** Refuses (400) a link without what its mode needs, or of a version that doesn't exist yet. */
export function requireModeFields(request: LinkBody): void {
	const { mode, version, referenceFace, contractSign } = request;
	if (version > NEWEST_VERSION) {
		throw new Refusal(400, `version must not be above ${NEWEST_VERSION}.`);
	}
	if (mode === FACE_MODE && !referenceFace) {
		throw new Refusal(400, `Mode ${mode} requires a referenceFace image.`);
	}
	if (mode === SIGNATURE_MODE && !contractSign) {
		throw new Refusal(400, `Mode ${mode} requires a contractSign template ID.`);
	}
}

/** To try all filters of a PNG takes Jest a quarter of a second for each link. */
const PNG = { scale: 3, rendererOpts: { filterType: 2 } };

/** Creates a link (interface.md#hosted-link): its QR code is a PNG data URI. */
export async function createLink(request: LinkBody, context: Context): Promise<HostedLink> {
	const { profile, mode, version, customData, contractSign } = request;
	const reference = newId();
	const url = `${context.url}/h/${reference}`;
	const createdAt = new Date().toISOString();
	const asked = { profile, mode, version, customData, contractSign };
	context.state.links.set(reference, { reference, url, ...asked, createdAt, opened: 0 });
	return { reference, url, qrCode: await toDataURL(url, PNG) };
}
