import type { Context } from './context';
import { FACE_MODE, KEY_HEADER, NEWEST_VERSION, SIGNATURE_MODE } from './interface';
import type { HostedLink } from './interface';
import { Refusal } from './refusal';
import { SPECIMENS } from './results/specimens';

/** What the portal's form for a hosted link sends. */
export interface LinkForm {
	profile?: string;
	mode?: string | number;
	customData?: string;
}

/**
 * Creates a hosted link by calling the service, so that it costs and records the same as any call.
 * Throws a `Refusal` with the service's answer if it didn't create one.
 */
export async function requestLink(form: LinkForm, context: Context): Promise<HostedLink> {
	const mode = Number(form.mode);
	const response = await fetch(`${context.url}/hosted`, {
		method: 'POST',
		headers: { [KEY_HEADER]: context.apiKey, 'Content-Type': 'application/json' },
		body: JSON.stringify({
			version: NEWEST_VERSION,
			profile: form.profile,
			mode,
			customData: form.customData,
			...extrasOf(mode),
		}),
	});
	if (response.ok) return (await response.json()) as HostedLink;
	const answer = await response.text();
	throw new Refusal(
		response.status,
		`The service answered ${response.status} and created no link: ${answer}`,
	);
}

/** What a mode needs beside the fields of the form. */
function extrasOf(mode: number): object {
	if (mode === FACE_MODE) return { referenceFace: SPECIMENS.face.toString('base64') };
	if (mode === SIGNATURE_MODE) return { contractSign: 'sample-contract' };
	return {};
}
