import { isRecord } from '../nodes/IdentityVerification/contract/json';
import { fixture } from '../test/kit/data/fixtures';

/** Of the results that triggers are measured with. */
export const TRIGGER_PAYLOAD_BYTES = 12_000;

/** A rejected verification as the webhook sends it, with as many warnings as make up this size. */
export function payloadOf(bytes: number): Record<string, unknown> {
	const body = fixture('webhook-reject-aml');
	const { warning } = body;
	const known = Array.isArray(warning) ? warning.filter(isRecord) : [];
	const sizes = known.map((one) => JSON.stringify(one).length + 1);
	const warnings = [...known];
	let missing = bytes - JSON.stringify(body).length;
	for (let index = 0; missing > 0; index = (index + 1) % known.length) {
		warnings.push(structuredClone(known[index] ?? {}));
		missing -= sizes[index] ?? 1;
	}
	return { ...body, warning: warnings };
}
