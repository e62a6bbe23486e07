import { useSandbox } from '../support/sandbox';
import { actionNode, documentItems } from './action';

// What the output panel says of a run of scans.

const sandbox = useSandbox();
const { run } = actionNode(sandbox);

async function hintsOf(count: number, options: object = {}, onError?: 'continueErrorOutput') {
	const { hints } = await run({
		items: documentItems(count).items,
		parameters: { options: { maxParallelRequests: 1, ...options } },
		settings: { onError },
	});
	return hints.map(({ message, type }) => [type, message]);
}

it('counts decisions and failures, and names the credits that are left', async () => {
	await sandbox.setCredits(100);
	await sandbox.fault({ on: 'scan', kind: 'serverError', skip: 1 });

	expect(await hintsOf(4, {}, 'continueErrorOutput')).toEqual([
		['info', '4 documents: 3 accept, 1 failed; 97 credits left'],
	]);
});

it('says nothing of a single document', async () => {
	expect(await hintsOf(1)).toEqual([]);
});

it('warns when fewer credits are left than asked for', async () => {
	await sandbox.setCredits(10);

	expect(await hintsOf(1, { lowCredit: 10 })).toEqual([
		['warning', expect.stringMatching(/^Only 9 credits are left/)],
	]);
	expect(await hintsOf(1, { lowCredit: 8 })).toEqual([]);
});
