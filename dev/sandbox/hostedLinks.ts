import { toDataURL } from 'qrcode';
import {
	FACE_ONLY_MODE,
	LATEST_LINK_VERSION,
	MODES,
	SIGNATURE_MODE,
} from '../../nodes/IdentityVerification/contract';
import type { HostedLink, HostedRequest, Mode } from '../../nodes/IdentityVerification/contract';

import type { Context } from './context';
import { Refusal } from './refusal';
import type { Checks } from './results/data';
import { newId } from './state';

/** What each mode asks of the end user (interface.md#hosted-link). */
export const MODE_CHECKS: Record<Mode, Checks> = {
	0: { document: true, face: true, signature: false },
	1: { document: true, face: false, signature: false },
	2: { document: false, face: true, signature: false },
	3: { document: false, face: false, signature: true },
};

/** The mode's row of the table in interface.md#hosted-link. Throws a `Refusal` (400) for another mode. */
function modeOf(mode: number): (typeof MODES)[number] {
	const found = MODES.find((row) => row.mode === mode);
	if (!found) throw new Refusal(400, 'mode must be 0, 1, 2 or 3.');
	return found;
}

/** Credits that a link of the mode costs. */
export function priceOf(mode: number): number {
	return modeOf(mode).credits;
}

/** Refuses (400) a link without what its mode needs, or of a version that doesn't exist yet. */
export function requireModeFields(request: HostedRequest): void {
	const { mode, version, referenceFace, contractSign } = request;
	if (version > LATEST_LINK_VERSION) {
		throw new Refusal(400, `version must not be above ${LATEST_LINK_VERSION}.`);
	}
	if (mode === FACE_ONLY_MODE && !referenceFace) {
		throw new Refusal(400, `Mode ${mode} requires a referenceFace image.`);
	}
	if (mode === SIGNATURE_MODE && !contractSign) {
		throw new Refusal(400, `Mode ${mode} requires a contractSign template ID.`);
	}
}

/** Creates a link (interface.md#hosted-link): its QR code is a PNG data URI. */
export async function createLink(request: HostedRequest, context: Context): Promise<HostedLink> {
	const { profile, version, customData, contractSign } = request;
	const { mode } = modeOf(request.mode);
	const reference = newId();
	const url = `${context.url}/h/${reference}`;
	const createdAt = new Date().toISOString();
	const link = { reference, url, profile, mode, version, customData, contractSign, createdAt };
	context.state.links.set(reference, link);
	return { reference, url, qrCode: await toDataURL(url) };
}
