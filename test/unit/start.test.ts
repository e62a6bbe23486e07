import { untilStarted } from '../../nodes/IdentityVerification/waiting/start';
import { listen } from '../kit/httpServer';

/** An n8n that gives these answers when it's asked whether it has started; counts the questions. */
async function n8nThatAnswers(...statuses: number[]) {
	const asked: string[] = [];
	const { url: origin } = await listen((request, response) => {
		asked.push(`${request.method} ${request.url}`);
		response.writeHead(statuses.shift() ?? 200).end();
	});
	return { origin, asked };
}

it('waits until n8n has started, and asks no more then', async () => {
	const { origin, asked } = await n8nThatAnswers(503, 503, 200);

	await untilStarted({ origin });
	await untilStarted({ origin });

	expect(asked).toEqual(Array.from({ length: 3 }, () => 'GET /healthz/readiness'));
});

it('does not wait where nothing says whether n8n has started', async () => {
	const { origin, asked } = await n8nThatAnswers(404);

	await untilStarted({ origin });

	expect(asked).toHaveLength(1);
});

it('does not wait for an n8n that cannot be reached at its own address', async () => {
	await expect(untilStarted({ origin: 'http://127.0.0.1:9' })).resolves.toBeUndefined();
});

it('gives up on an n8n that takes long', async () => {
	const { origin } = await n8nThatAnswers(...Array.from({ length: 200 }, () => 503));

	await expect(untilStarted({ origin })).rejects.toThrow('still starting');
});
