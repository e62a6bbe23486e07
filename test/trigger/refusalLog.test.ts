import type { WebhookCall } from '../kit/engine';
import { useLogs } from '../kit/engine/logs';
import { answerOverHttp } from '../kit/engine/answerOverHttp';
import { webhookOf } from '../kit/engine/webhook';
import { fixture } from '../kit/data/fixtures';
import { triggerSetup } from '../kit/engine/callTrigger';
import type { TriggerCall } from '../kit/engine/callTrigger';
import { WEBHOOK_SECRET } from '../kit/settings';

/** A text where a sender could have put personal data. */
const MARK = 'Ivo-Varkov-1971';

const ROTATED = 'Secret-before-the-rotation';

const logs = useLogs();
afterEach(() => jest.restoreAllMocks());

/** A trigger that is called any number of times, and what the log says of its refusals. */
function listeningTrigger(call: TriggerCall = {}) {
	const { workflow, prepare } = webhookOf(triggerSetup(call));
	const send = async (query: Record<string, string>) => {
		const request: WebhookCall['request'] = {
			body: fixture('webhook-accept', { customData: MARK }),
			query,
		};
		const [, sent] = await answerOverHttp(request, async (httpRequest, httpResponse) => {
			await workflow.expression.acquireIsolate();
			return await prepare({ httpRequest, httpResponse })().finally(
				async () => await workflow.expression.releaseIsolate(),
			);
		});
		return sent.status;
	};
	const logged = () => logs.lines(/ refused \d+ webhook/);
	return { send, logged };
}

/** Lets this time pass for what measures it, without waiting. */
function pass(ms: number): void {
	const later = performance.now() + ms;
	jest.spyOn(performance, 'now').mockReturnValue(later);
}

it('a rotated secret shows in the log, once a minute, with how many were refused', async () => {
	const { send, logged } = listeningTrigger();

	for (let time = 0; time < 5; time++) expect(await send({ secret: ROTATED })).toBe(401);
	pass(61_000);
	await send({ secret: ROTATED });

	const lines = logged();
	expect(lines).toHaveLength(2);
	expect(lines[0]).toMatch(/refused 1 webhook with status 401 \(Not authenticated/);
	expect(lines[1]).toMatch(/refused 5 webhooks, the last one with status 401 \(Not/);
	for (const secret of [MARK, ROTATED, WEBHOOK_SECRET]) expect(lines.join()).not.toContain(secret);
});

it('what was refused since the last line is logged with the next webhook, also with an accepted one', async () => {
	const { send, logged } = listeningTrigger();

	for (let time = 0; time < 3; time++) await send({ secret: ROTATED });
	pass(61_000);
	expect(await send({ secret: WEBHOOK_SECRET })).toBe(200);

	expect(logged()[1]).toMatch(/refused 2 webhooks, the last one with status 401/);
});

it('a credential that cannot be read shows with this cause', async () => {
	const credentialFailure = new Error(`No access for ${MARK}`);
	const { send, logged } = listeningTrigger({ credentialFailure });

	expect(await send({ secret: WEBHOOK_SECRET })).toBe(503);

	const lines = logged();
	expect(lines).toEqual([
		expect.stringMatching(/1 webhook with status 503 \(The credential could not be read/),
	]);
	expect(lines.join()).not.toContain(MARK);
});

it('a secret that was weakened after publishing shows with this cause, and is not in the log', async () => {
	const weak = 'Ivo1971';
	const { send, logged } = listeningTrigger({ credential: { webhookSecret: weak } });

	expect(await send({ secret: weak })).toBe(401);

	const lines = logged();
	expect(lines).toEqual([
		expect.stringMatching(
			/1 webhook with status 401 \(Enter a 'Webhook Secret' of 20 or more random/,
		),
	]);
	expect(lines.join()).not.toContain(weak);
});
