import { ExecuteContext } from 'n8n-core';

import { actionRunner, documentItems } from '../kit/engine/action';
import { useSandbox } from '../kit/service/sandbox';

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

describe('in an n8n before 2.6, which tells nodes nothing of the settings of the workflow', () => {
	beforeAll(() => {
		const missing = { value: undefined, configurable: true };
		Object.defineProperty(ExecuteContext.prototype, 'getWorkflowSettings', missing);
	});
	afterAll(() => void Reflect.deleteProperty(ExecuteContext.prototype, 'getWorkflowSettings'));

	it('a failure says why, and Retry pays for the other items only once', async () => {
		const { items, images } = documentItems(2);
		await sandbox.refuse(images[1]);

		const failed = await run({ items, parameters: { options: { maxParallelRequests: 1 } } });
		const passed = await run({ retryOf: failed });

		expect(failed.error?.description).toContain('1 item is done and paid for');
		expect(passed.status).toBe('success');
		expect(await sandbox.billed()).toBe(2);
	});
});
