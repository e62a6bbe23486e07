import type { Logger } from 'n8n-workflow';

import { Progress } from '../../nodes/IdentityVerification/progress';
import { sendPaced } from '../../nodes/IdentityVerification/transport/pace/sendPaced';
import type { Answer } from '../../nodes/IdentityVerification/transport/request';
import type { ConnectedItem } from '../../nodes/IdentityVerification/item';

// How requests of a node pass the gates of this process, by the real clock.

let credentials = 0;

/** What the requests of a run share. */
function connection(values: { apiKey?: string; credentialId?: string } = {}): ConnectedItem {
	const { apiKey = 'key', credentialId = `credential ${++credentials}` } = values;
	return {
		run: {
			patienceMs: 60_000,
			since: performance.now(),
			progress: new Progress({ info: () => undefined } as unknown as Logger),
			stopSignal: new AbortController().signal,
		},
		service: { baseUrl: 'https://api.example.com', apiKey, credential: { id: credentialId } },
	} as unknown as ConnectedItem;
}

const scan = '/scan kyc';
const answer = (statusCode: number, headers: Answer<string>['headers'] = {}) => ({
	statusCode,
	headers,
	body: '',
});
const refused = answer(429, { 'retry-after': '7200' });
const accepted = answer(200);

it('a request that fails gives its place to the next one', async () => {
	const shared = connection();
	const failing = async () => await Promise.reject(new Error('no answer'));

	for (let request = 0; request < 12; request++) {
		await expect(sendPaced(shared, scan, failing)).rejects.toThrow('no answer');
	}

	expect(await sendPaced(shared, scan, async () => await Promise.resolve(accepted))).toBe(accepted);
});

it('a pause holds for the account that was refused, not for another one behind the same credential', async () => {
	const credentialId = 'with an expression';
	const first = connection({ apiKey: 'key of one', credentialId });
	// Its run begins before the pause: one that begins later asks once whether a pause still holds.
	const another = connection({ apiKey: 'key of another', credentialId });
	const sendFirst = async () => await Promise.resolve(refused);

	expect(await sendPaced(first, scan, sendFirst)).toBe(refused);
	expect(await sendPaced(first, scan, sendFirst)).toBeUndefined();
	expect(await sendPaced(another, scan, async () => await Promise.resolve(accepted))).toBe(
		accepted,
	);
});
