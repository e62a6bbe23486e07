import type { INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { IdentityVerificationApi } from '../../credentials/IdentityVerificationApi.credentials';

const { properties } = new IdentityVerificationApi();
const notice = properties.find(({ name }) => name === 'tooShortNotice');

const isSecret = ({ name }: INodeProperties) => name === 'webhookSecret';

/** Whether the editor shows the notice under this webhook secret. */
function isShown(webhookSecret: string): boolean {
	if (!notice) throw new Error('The credential has no notice');
	return NodeHelpers.displayParameter({ apiKey: 'key', webhookSecret }, notice, null, null);
}

describe('the notice under the webhook secret', () => {
	it.each(['a', 'x'.repeat(19), '>'])('is shown for %j', (secret) => {
		expect(isShown(secret)).toBe(true);
	});

	it.each(['', 'x'.repeat(20), 'x'.repeat(64), '={{ $vars.s }}', '='])(
		'is not shown for %j',
		(secret) => {
			expect(isShown(secret)).toBe(false);
		},
	);

	it('says what happens, below the hint that says what to enter', () => {
		const [field, next] = properties.slice(properties.findIndex(isSecret));
		expect(field?.hint).toMatch(/^20 or more random characters/);
		expect(next).toBe(notice);
		expect(notice?.displayName).toMatch(/too short: .* refuse to work/);
	});
});
