import { CAN_WAIT, openStack } from '../../kit/n8n/stack';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { PROFILE } from '../../kit/n8n/results';
import { useSandboxInN8n } from '../../kit/n8n/sandboxInN8n';
import { CREATE, START, startWaiting, waitingFlow } from '../../kit/n8n/waitingFlow';
import { WEBHOOK_SECRET } from '../../kit/settings';

const { api } = openStack();
const sandboxInN8n = useSandboxInN8n(api, WEBHOOK_SECRET);
const { sandbox } = sandboxInN8n;

async function start() {
	const { credentialId } = sandboxInN8n;
	return await LiveWorkflow.start(api, waitingFlow({ credentialId, profile: PROFILE }));
}

if (CAN_WAIT) {
	it('n8n exports WAIT_FOR_SUB_EXECUTION, so a link can be waited for', async () => {
		await startWaiting(api, await start());

		expect(await sandbox.billed()).toBeGreaterThan(0);
	});
} else {
	// What a waiting node returns at another output than the first one is lost there.
	it('a link that would be waited for is refused before it is paid', async () => {
		const flow = await start();
		await flow.send(START, { applicantId: 'applicant-1' });
		const execution = await flow.takeExecution();

		expect(execution.data[CREATE]?.[0]?.error?.message).toMatch(/needs n8n 2\.39 or newer/);
		expect(await sandbox.billed()).toBe(0);
	});
}
