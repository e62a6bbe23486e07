import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import type { Bed } from './bed';
import { Section, atMost } from './figures';
import { calmMemory, peakAbove, peakOfSandbox } from './process';
import { downloadWorkflow, timeOf } from './workflows';

const DOWNLOADS_MB = [20, 200];

/** Memory of a large download. */
export async function measureFlatMemory(bed: Bed): Promise<Section> {
	const section = new Section('Flat memory');
	await bed.withN8n({}, async ({ n8n: { pid }, api, credentialIds }) => {
		const install = async (mb: number) => {
			const fileUrl = `${bed.sandbox.filesUrl}/files/large?bytes=${mb * 1_000_000}`;
			return await LiveWorkflow.start(api, downloadWorkflow(fileUrl, credentialIds));
		};
		await timeOf(await install(1));
		const idleKb = await calmMemory(pid);
		for (const mb of DOWNLOADS_MB) {
			const workflow = await install(mb);
			let peak = NaN;
			const sandbox = await peakOfSandbox(bed, async () => {
				peak = await peakAbove(pid, idleKb, async () => await timeOf(workflow));
			});
			const options = { setting: `a file of ${mb} MB`, target: atMost(150) };
			section.add('Download Files', 'MB above idle', peak, options);
			section.add('the sandbox itself', 'MB above idle', sandbox, options);
		}
	});
	return section;
}
