import { itemsOf } from '../../dev/stack/execution';
import type { Execution } from '../../dev/stack/execution';
import { poll } from '../../dev/stack/poll';
import { fetchN8n } from '../../dev/stack/fetchN8n';
import { listen } from '../kit/service/httpServer';
import { picture } from '../kit/data/picture';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { SCAN, START, imagesBody, startScans } from '../kit/n8n/scans';
import { useSandboxInN8n } from '../kit/n8n/sandboxInN8n';
import { openStack } from '../kit/n8n/stack';
import { actionNode, n8nNode, webhookNode, workflowOf } from '../kit/n8n/workflow';
import type { NodeOptions } from '../kit/n8n/workflow';
import { profileIds } from '../kit/data/profileIds';
import { CONTINUE, retryOnFail } from '../kit/settings';

const { api } = openStack();
const sandboxInN8n = useSandboxInN8n(api, '');
const { sandbox } = sandboxInN8n;

const pictures = (count: number) => Array.from({ length: count }, () => picture());
const oneByOne = { options: { maxParallelRequests: 1 } };

async function scan(files: Buffer[], options: NodeOptions = {}): Promise<Execution> {
	const workflow = await startScans(api, {
		credentialId: sandboxInN8n.credentialId,
		...options,
	});
	await workflow.send(START, imagesBody(files));
	return await workflow.takeExecution();
}

function errorOf({ data }: Execution) {
	const error = data[SCAN]?.at(-1)?.error;
	return { message: error?.message ?? '', description: String(error?.description ?? '') };
}

describe('Retry in the executions list', () => {
	it("finds what is paid in the node's context: 10 paid for 10", async () => {
		const files = pictures(10);
		await sandbox.refuse(files[6]);

		const failed = await scan(files);
		const passed = await api.retryExecution(failed.id);

		expect(failed.status).toBe('error');
		expect(errorOf(failed).description).toMatch(/are done and paid for \(.*\)\. .*Retry/);
		expect(passed.status).toBe('success');
		expect(await sandbox.billed()).toBe(10);
		const ids = itemsOf(passed, SCAN).map(({ transactionId }) => transactionId);
		expect(new Set(ids).size).toBe(10);
	});

	// By this word, n8n tells an execution that was canceled, and offers no Retry for it.
	it('returns what is paid, also after an error with the word "canceled"', async () => {
		const files = pictures(3);
		const body = { message: 'Subscription canceled' };
		await sandbox.faultOn(files[2], { kind: 'status', status: 402, body });

		const failed = await scan(files, { parameters: oneByOne });
		const passed = await api.retryExecution(failed.id);

		expect([failed.status, passed.status]).toEqual(['error', 'success']);
		expect(errorOf(failed).message).toContain('Subscription cancelled. Nothing was charged');
		expect(await sandbox.billed()).toBe(3);
	});

	// n8n moves such a file into the folder of its execution when that has ended.
	it('knows an uploaded file again', async () => {
		const split = n8nNode('Split', 'splitOut', 1, {
			fieldToSplitOut: 'body.profiles',
			options: { includeBinary: true },
		});
		const scan = actionNode(SCAN, {
			credentialId: sandboxInN8n.credentialId,
			parameters: {
				operation: 'scan',
				profile: "={{ $json['body.profiles'] }}",
				documentBinaryField: 'document',
				...oneByOne,
			},
		});
		const workflow = await LiveWorkflow.start(
			api,
			workflowOf(
				[webhookNode(START), split, scan],
				[
					[START, 'Split'],
					['Split', SCAN],
				],
			),
		);
		const form = new FormData();
		for (const profile of ['sandbox-accept', 'sandbox-accept', 'not-yet']) {
			form.append('profiles', profile);
		}
		form.set('document', new Blob([picture()], { type: 'image/jpeg' }), 'id.jpg');
		await fetchN8n(workflow.url(START), { method: 'POST', body: form });
		const failed = await workflow.takeExecution();
		await sandbox.setProfile('not-yet', {});

		const passed = await api.retryExecution(failed.id);

		expect([failed.status, passed.status]).toEqual(['error', 'success']);
		expect(profileIds(itemsOf(passed, SCAN))).toEqual([
			'sandbox-accept',
			'sandbox-accept',
			'not-yet',
		]);
		expect(await sandbox.billed()).toBe(3);
	});
});

it('Stop of a running execution ends the open requests and sends no new one', async () => {
	let [opened, ended] = [0, 0];
	const { url: baseUrl } = await listen((request, response) => {
		opened += 1;
		response.on('close', () => (ended += 1));
		request.resume();
		// The first two are never answered.
		if (opened > 2) response.end('{"decision":"accept"}');
	});
	const credentialId = await sandboxInN8n.saveCredential({ baseUrl });
	const parameters = { options: { maxParallelRequests: 2 } };
	const settings = { ...retryOnFail(3), ...CONTINUE };
	const workflow = await startScans(api, { credentialId, parameters, settings }, 'onReceived');
	await workflow.send(START, imagesBody(pictures(10)));
	const timeoutMs = 60_000;
	await poll(async () => opened === 2 || undefined, { what: 'two requests', timeoutMs });

	const [running] = await workflow.list();
	await api.stopExecution(running?.id ?? '');

	await poll(async () => ended === 2 || undefined, { what: 'their end', timeoutMs });
	const { status } = await workflow.takeExecution();
	expect(status).toBe('canceled');
	await workflow.send(START, imagesBody(pictures(1)));
	await workflow.takeExecution();
	expect(opened).toBe(3);
});
