import { fixture } from '../kit/data/fixtures';
import { listenJson } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItems } from '../kit/engine/action';

// What the output panel says of a run of scans.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

async function hintsOf(count: number, onError?: 'continueErrorOutput') {
	const { hints } = await run({
		items: documentItems(count).items,
		parameters: { options: { maxParallelRequests: 1 } },
		settings: { onError },
	});
	return hints.map(({ message, type }) => [type, message]);
}

const onPace = (requests: number, slower = '') => [
	'info',
	expect.stringMatching(
		new RegExp(`^${requests} requests in \\d+\\.\\d s, up to 1 at a time${slower}\\.$`),
	),
];

it('counts decisions and failures, and names the credits that are left', async () => {
	await sandbox.setCredits(100);
	await sandbox.fault({ on: 'scan', kind: 'serverError', skip: 1 });

	expect(await hintsOf(4, 'continueErrorOutput')).toEqual([
		onPace(4),
		['info', '4 documents: 3 accept, 1 failed; 97 credits left.'],
	]);
});

it.each(['simplified', 'raw'])(
	'counts an accept that is not trusted as one without a recognized decision: %s',
	async (output) => {
		const body = fixture('scan-accept', { error: 'The check failed' });
		const { url: baseUrl } = await listenJson(() => ({ body }));

		const { hints } = await run({ parameters: { output }, credential: { baseUrl } });

		expect(hints.map(({ message }) => message)).toContainEqual(
			expect.stringMatching(/^1 document: 1 without a recognized decision; /),
		);
	},
);

it('says how fast it went, and how often the service asked to slow down', async () => {
	await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 0, skip: 1 });

	expect(await hintsOf(2)).toContainEqual(onPace(2, '; the service asked once to slow down'));
});

it('says of a single document at which output to look', async () => {
	const summary = '1 document: 1 accept; 9999 credits left.';
	expect(await hintsOf(1)).toEqual([['info', summary]]);
});

it('says nothing of credits that were left before the account was topped up', async () => {
	await sandbox.setCredits(1);
	const { items } = documentItems(2);
	const parameters = { options: { maxParallelRequests: 1 } };

	const failed = await run({ items, parameters });
	await sandbox.setCredits(500);
	const { hints } = await run({ retryOf: failed, parameters });

	expect(hints.map(({ message }) => message)).toEqual(['2 documents: 2 accept; 499 credits left.']);
});
