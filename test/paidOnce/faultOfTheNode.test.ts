import { PaidRequests } from '../../nodes/IdentityVerification/batch/paid/paidRequests';
import { useLogs } from '../kit/engine/logs';
import { actionRunner, documentItem, failureOf, jsonOf } from '../kit/engine/action';
import { useSandbox } from '../kit/service/sandbox';
import { CONTINUE } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);
const logs = useLogs();

const CHARGED =
	/^The node failed after it had sent the request\. The request may have been processed and charged/;

afterEach(() => void jest.restoreAllMocks());

/** Lets the node fail with a fault of its own once everything is paid. */
function failAfterwards(): void {
	jest.spyOn(PaidRequests.prototype, 'forget').mockImplementation(() => {
		throw new TypeError('ALEX SPECIMEN is not a function');
	});
}

it('a fault of the node itself after the requests does not say that nothing was charged', async () => {
	failAfterwards();

	const { message } = failureOf(await run({ items: [documentItem()] }));

	expect(message).toMatch(CHARGED);
	expect(await sandbox.billed()).toBe(1);
	expect(logs.text()).toMatch(/unexpected TypeError\\n\s+at .*faultOfTheNode\.test\.ts.*\\n\s+at /);
	expect(logs.text()).not.toMatch(/ALEX/);
});

it('nor does it in an item of a node that continues', async () => {
	failAfterwards();

	const result = await run({
		items: [documentItem()],
		settings: CONTINUE,
	});

	expect(jsonOf(result)).toEqual([{ error: expect.stringMatching(CHARGED) as string }]);
});
