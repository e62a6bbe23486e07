import { createHash } from 'node:crypto';

import type { IExecuteFunctions } from 'n8n-workflow';

import { credentialOf } from '../../credential';
import { UNCOMPARED } from '../../parameters/sharedFields';

/**
 * Lets a Retry recognize a request by what it asks for and by its credential. Frozen after 0.1.0
 * (architecture.md#what-may-not-change-after-010).
 *
 * It is made from the parameters as entered, because an expression such as `{{ $now }}` can change
 * from one try to the next, and from the values that the operation lists in `requestIdentity`. It
 * is hashed, so n8n's database stores no extra data.
 */
export function fingerprintOf(context: IExecuteFunctions, requestIdentity: object): string {
	const { options, ...parameters } = context.getNode().parameters;
	const compared = [parameters, options ?? {}].map((values) =>
		Object.entries(values)
			.filter(([name]) => !UNCOMPARED.includes(name))
			.sort(),
	);
	const request = JSON.stringify([credentialOf(context).id, compared, requestIdentity]);
	return createHash('sha256').update(request).digest('base64url');
}
