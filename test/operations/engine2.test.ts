import { actionRunner, documentItem, failureOf, jsonOf } from '../kit/engine/action';
import { useSandbox } from '../kit/service/sandbox';
import { CONTINUE, ENGINE_2_EXECUTION } from '../kit/settings';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

it.each(['scan', 'createHostedLink', 'downloadFiles', 'waitForResult'])(
	"%s refuses to run in n8n's Engine 2.0, unpaid",
	async (operation) => {
		const options = {
			items: [documentItem()],
			parameters: { operation },
			executionId: ENGINE_2_EXECUTION,
		};
		const refusal =
			"n8n's Engine 2.0 is not supported: remove 'engineType' from the settings of the workflow. Nothing was charged (charge: none)";

		expect(failureOf(await run(options)).message).toBe(refusal);
		expect(jsonOf(await run({ ...options, settings: CONTINUE }))).toEqual([{ error: refusal }]);
		expect(await sandbox.requests()).toEqual([]);
	},
);
