import { deliver } from '../kit/delivery/delivery';
import type { Way } from '../kit/delivery/delivery';
import { expectRunAgain, report } from '../kit/delivery/expectations';
import { openStack } from '../kit/n8n/handle';
import { MANY_EVENTS, useOwnN8n } from '../kit/n8n/ownN8n';

jest.setTimeout(1_800_000);

const { sandbox, credential } = openStack();

// Of its own, because it's killed.
const n8n = useOwnN8n(MANY_EVENTS);
let way: Way;

beforeAll(async () => {
	const { name, type, data } = credential;
	way = {
		sandbox,
		api: n8n.api,
		webhookUrl: n8n.url,
		credentialId: await n8n.api.saveCredential({ name, type, data }),
		webhookSecret: String(data.webhookSecret),
	};
});

describe('300 events at 16 connections', () => {
	it('are each executed exactly once', async () => {
		const tally = await deliver(way, { name: 'single-undisturbed', count: 300 });
		report('Undisturbed', tally);
		expect(tally.problems).toEqual([]);
		expect(tally.unanswered).toEqual([]);
		expect(tally.statuses).toEqual({ success: 300 });
	});

	it('are all kept or resent when n8n is killed, and the interrupted ones can be run again', async () => {
		const tally = await deliver(way, {
			name: 'single-killed',
			count: 300,
			secondsEach: 1,
			pauseMs: 800,
			disturb: async () => await n8n.crash(),
		});
		report('n8n killed and started again', tally);
		expect(tally.problems).toEqual([]);
		expect(tally.unanswered).not.toEqual([]);
		expect(tally.interrupted).not.toEqual([]);
		await expectRunAgain(way.api, tally);
	});
});
