import { z } from 'zod/v4';

import type { Execution } from '../../dev/stack/execution';
import { report } from '../kit/delivery/expectations';
import { picture } from '../kit/imageBytes';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useService } from '../kit/n8n/service';
import { actionNode, branchNode, imageNodes, webhookNode, workflowOf } from '../kit/n8n/workflow';

const COUNT = 200;

const { api } = openStack();
const service = useService(api, 'webhook-secret-of-the-tests');

/** What the sandbox does to a document: 5% status 500, 2% broken, 2% unreadable. */
function faultOf(index: number): string | undefined {
	if (index % 20 === 0) return 'serverError';
	if (index % 50 === 7) return 'broken';
	if (index % 100 === 11) return 'truncated';
	return index % 100 === 61 ? 'wrongShape' : undefined;
}

const MESSAGES: Record<string, RegExp> = {
	serverError: /^The service answered with status 500/,
	broken: /^No answer from the service: .*may have been processed and charged/,
	truncated: /not with a readable .*may have been processed and charged/,
	wrongShape: /not with a readable .*may have been processed and charged/,
};

const MAYBE_CHARGED = /may have been processed/;

const indexes = Array.from({ length: COUNT }, (_, index) => index);

interface OutputItem {
	json: Record<string, unknown>;
	/** Index of the item that it came from. */
	input: number;
}

function outputOf({ data }: Execution, output: number): OutputItem[] {
	const items = data.Scan?.[0]?.data?.main?.[output] ?? [];
	return items.map(({ json, pairedItem }) => {
		const paired = z.object({ item: z.number() }).parse(pairedItem);
		return { json, input: paired.item };
	});
}

function scanWorkflow(credentialId: string) {
	const images = imageNodes('Start', 'Document');
	const scan = actionNode('Scan', {
		credentialId,
		parameters: { operation: 'scan', profile: 'sandbox-accept', output: 'decisionOnly' },
		settings: { onError: 'continueErrorOutput' },
	});
	return workflowOf(
		[
			webhookNode('Start', { responseMode: 'onReceived' }),
			...images.nodes,
			scan,
			branchNode('Scanned'),
			branchNode('Failed'),
		],
		[...images.links, ['Document', 'Scan'], ['Scan', 'Scanned'], ['Scan', 'Failed', 1]],
	);
}

describe('a scan of 200 documents against a service that fails for 9% of them', () => {
	let failed: OutputItem[];
	let scanned: OutputItem[];

	beforeEach(async () => {
		const { sandbox, credentialId } = service;
		const documents = indexes.map(() => picture(2_000));
		for (const [index, document] of documents.entries()) {
			const kind = faultOf(index);
			if (kind) await sandbox.faultOn(document, { kind, times: 'always' });
		}
		const live = await LiveWorkflow.start(api, scanWorkflow(credentialId));
		const images = documents.map((document) => document.toString('base64'));
		await live.send('Start', { images });
		const execution = await live.newExecution();
		scanned = outputOf(execution, 0);
		failed = outputOf(execution, 1);
	});

	it('puts each item out on its branch, paired, and reports what may have been charged', async () => {
		const charged = failed.filter(({ json }) => MAYBE_CHARGED.test(String(json.error)));
		const { requests, billed } = await service.sandbox.state();
		report(
			'Scan under faults',
			`${COUNT} items in, ${scanned.length} scanned, ${failed.length} failed, ` +
				`${charged.length} of them may have been charged, ${requests.length} requests, ` +
				`${billed} credits billed`,
		);
		const healthy = indexes.filter((index) => !faultOf(index));
		expect(scanned.map(({ input }) => input)).toEqual(healthy);
		expect(scanned.every(({ json }) => json.decision === 'accept')).toBe(true);
		const faulty = indexes.filter((index) => faultOf(index));
		expect(failed.map(({ input }) => input)).toEqual(faulty);
		for (const { input, json } of failed) {
			expect(json.error).toMatch(MESSAGES[faultOf(input) ?? ''] ?? /^$/);
		}
		expect(requests).toHaveLength(COUNT);
		// Nobody but the service knows what it charges after an error: each of them is reported.
		expect(charged.map(({ input }) => input)).toEqual(faulty);
		const unbilled = faulty.filter((index) => faultOf(index) === 'serverError');
		expect(billed).toBe(COUNT - unbilled.length);
	});
});
