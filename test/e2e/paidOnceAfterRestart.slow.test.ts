import { itemsOf } from '../../dev/stack/execution';
import { picture } from '../kit/data/picture';
import { useOwnN8n } from '../kit/n8n/ownN8n';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { SCAN, START, imagesBody, startScans } from '../kit/n8n/scans';

// Of its own, because it's restarted.
const n8n = useOwnN8n({});
const sandboxInN8n = useSandboxInN8n(n8n, '');
const { sandbox } = sandboxInN8n;

it("Retry finds what is paid in the node's context after n8n was restarted: 10 paid for 10", async () => {
	const images = Array.from({ length: 10 }, () => picture());
	await sandbox.refuse(images[6]);
	const { credentialId } = sandboxInN8n;
	const scans = await startScans(n8n.api, { credentialId });
	await scans.send(START, imagesBody(images));
	const failed = await scans.takeExecution();

	await n8n.restart({});
	const passed = await n8n.api.retryExecution(failed.id);

	expect([failed.status, passed.status]).toEqual(['error', 'success']);
	expect(await sandbox.billed()).toBe(10);
	const ids = itemsOf(passed, SCAN).map(({ transactionId }) => transactionId);
	expect(new Set(ids).size).toBe(10);
});
