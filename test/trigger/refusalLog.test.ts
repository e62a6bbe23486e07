import type { WebhookCall } from '../kit/engine';
import { useLogs } from '../kit/engine/logs';
import { answerOverHttp } from '../kit/engine/answerOverHttp';
import { webhookOf } from '../kit/engine/webhook';
import { fixture } from '../kit/data/fixtures';
import { skippableTime } from '../kit/engine/skippableTime';
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
	const send = async (query: Record<string, string>, changes = {}) => {
		const request: WebhookCall['request'] = {
			body: fixture('webhook-accept', { customData: MARK, ...changes }),
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
	const logged = () => logs.lines(/ (refused|ignored) a webhook /);
	return { send, logged };
}

it('a rotated secret shows in the log at once, and again after a minute', async () => {
	const skip = skippableTime();
	const { send, logged } = listeningTrigger();

	for (let time = 0; time < 5; time++) expect(await send({ secret: ROTATED })).toBe(401);
	skip(30_000);
	await send({ secret: ROTATED });

	const line = expect.stringMatching(/ refused a webhook with status 401 \(Not authenticated/);
	expect(logged()).toEqual([line]);
	skip(31_000);
	await send({ secret: ROTATED });
	expect(logged()).toEqual([line, line]);
	for (const secret of [MARK, ROTATED, WEBHOOK_SECRET]) {
		expect(logged().join()).not.toContain(secret);
	}
});

it('a result that is refused shows, whatever else is refused in the same minute', async () => {
	const { send, logged } = listeningTrigger();

	await send({ secret: ROTATED });
	expect(await send({ secret: WEBHOOK_SECRET }, { event: 5 })).toBe(400);
	await send({ secret: ROTATED });

	expect(logged()).toEqual([
		expect.stringMatching(/refused a webhook with status 401/),
		expect.stringMatching(/refused a webhook with status 400 \(Not a readable webhook\)/),
	]);
});

it('results of profiles that are not listed show once a minute, with the first profile', async () => {
	const skip = skippableTime();
	const { send, logged } = listeningTrigger({ parameters: { options: { profiles: 'kyc-a' } } });
	const sendOf = async (profileId: string) => await send({ secret: WEBHOOK_SECRET }, { profileId });

	for (const profileId of ['kyc-a', 'kyc-b', 'kyc-c']) expect(await sendOf(profileId)).toBe(200);
	skip(61_000);
	await sendOf(`${MARK} ${MARK}`);

	const line = / ignored a webhook of a profile that 'Profiles' does not list/;
	expect(logged()).toEqual([
		expect.stringMatching(new RegExp(`${line.source} \\(kyc-b\\)`)),
		expect.stringMatching(new RegExp(`${line.source}(?! \\()`)),
	]);
	expect(logged().join()).not.toContain(MARK);
});

it('the refusals of one trigger hide none of another', async () => {
	const [one, another] = [listeningTrigger(), listeningTrigger()];

	await one.send({ secret: ROTATED });
	await another.send({ secret: ROTATED });

	expect(one.logged()).toHaveLength(2);
});

it('a credential that cannot be read shows with this cause', async () => {
	const credentialFailure = new Error(`No access for ${MARK}`);
	const { send, logged } = listeningTrigger({ credentialFailure });

	expect(await send({ secret: WEBHOOK_SECRET })).toBe(503);

	const lines = logged();
	expect(lines).toEqual([
		expect.stringMatching(/a webhook with status 503 \(The credential could not be read/),
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
			/a webhook with status 401 \(Enter a 'Webhook Secret' of 20 or more random/,
		),
	]);
	expect(lines.join()).not.toContain(weak);
});
