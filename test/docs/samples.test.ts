import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { DECISIONS } from '../../nodes/IdentityVerification/contract/vocabulary';
import { readExample } from '../kit/n8n/examples/example';
import { differences, samplesOf } from '../kit/n8n/examples/samples';
import type { Sample } from '../kit/n8n/examples/samples';
import { useReceiver } from '../kit/service/receiver';
import { useSandbox } from '../kit/service/sandbox';
import { callTrigger } from '../kit/engine/callTrigger';

const EXAMPLES = join(__dirname, '..', '..', 'examples');
const PACKAGE = 'n8n-nodes-identity-verification.';
const SCENARIOS: Record<string, string> = {
	review: 'lowConfidence',
	accept: 'accept',
	reject: 'aml',
};

const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
	.filter((name) => name.endsWith('.json'))
	.sort();

const sandbox = useSandbox();
const receiver = useReceiver();

/** The item of a result with a decision, of any node of this package that puts results out. */
async function realItem(decision: string, output: unknown) {
	await sandbox.setProfile('sandbox-accept', { webhookUrl: receiver.url });
	await sandbox.verify({ customData: 'applicant-4711' }, SCENARIOS[decision] ?? '');
	const [webhook] = receiver.take();
	const parameters = { output: String(output) };
	const { started = [] } = await callTrigger({ body: webhook?.body, parameters });
	return started.flat()[0];
}

/** The samples of an example, if it has a node that puts results out. */
async function resultsOf(file: string): Promise<Sample[]> {
	const workflow = await readExample(file);
	const hasResults = workflow.nodes.some(({ type }) => type.startsWith(PACKAGE));
	return hasResults ? samplesOf(workflow) : [];
}

it.each(files)('%s has no samples, or one like the result of each decision', async (file) => {
	const samples = await resultsOf(file);
	for (const { name, json, standsFor } of samples) {
		const place = standsFor.find(({ decision }) => decision === json.decision);
		expect([name, place?.decision]).toEqual([name, json.decision]);

		const real = await realItem(String(json.decision), place?.node.parameters.output);
		expect([name, ...differences(json, real)]).toEqual([name]);
	}
	const decisions = samples.map(({ json }) => String(json.decision)).sort();
	expect(decisions).toEqual(samples.length === 0 ? [] : [...DECISIONS].sort());
});

it('seven examples have samples', async () => {
	const samples = await Promise.all(files.map(resultsOf));

	expect(samples.filter(({ length }) => length > 0)).toHaveLength(7);
});
