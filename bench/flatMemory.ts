import type { Bed, RunningN8n } from './bed';
import { Section, atMost } from './figures';
import { calmMemory, peakAbove, peakOfSandbox } from './process';
import { makeReady } from './runs';
import { actionNode, n8nNode, namedWorkflow, webhookStart } from './workflows';
import type { Link } from './workflows';
const DOWNLOADS_MB = [20, 200];

/** Memory of a large download. */
export async function measureFlatMemory(bed: Bed): Promise<Section> {
	const section = new Section('Flat memory');
	await bed.withN8n({}, async (running) => await addDownloads(section, bed, running));
	return section;
}

async function addDownloads(section: Section, bed: Bed, running: RunningN8n): Promise<void> {
	const { pid } = running.n8n;
	await (await downloadWorkflow(bed, running, 1)).run();
	const idleKb = await calmMemory(pid);
	for (const mb of DOWNLOADS_MB) {
		const { run } = await downloadWorkflow(bed, running, mb);
		let peak = NaN;
		const sandbox = await peakOfSandbox(bed, async () => {
			peak = await peakAbove(pid, idleKb, run);
		});
		const options = { setting: `a file of ${mb} MB`, target: atMost(150) };
		section.add('Download Files', 'MB above idle', peak, options);
		section.add('the sandbox itself', 'MB above idle', sandbox, options);
	}
}

async function downloadWorkflow({ sandbox }: Bed, running: RunningN8n, mb: number) {
	const fileUrl = `${sandbox.filesUrl}/files/large?bytes=${mb * 1_000_000}`;
	const result = { files: [{ name: 'large', fileName: 'large.bin', fileUrl }] };
	const start = webhookStart({
		path: 'download',
		responseMode: 'lastNode',
		responseData: 'noData',
	});
	const raw = { mode: 'raw', jsonOutput: JSON.stringify(result), options: {} };
	const options = { maxFileSize: 1_000 };
	const download = actionNode('Download', {
		parameters: { operation: 'downloadFiles', options },
		credentialId: running.credentialIds.identityVerificationApi,
	});
	const nodes = [start, n8nNode('Result', 'set', 3.4, raw), download];
	const links: Link[] = [
		[start.name, 'Result'],
		['Result', 'Download'],
	];
	const settings = { saveDataSuccessExecution: 'none' };
	return await makeReady(running, namedWorkflow('Download', nodes, links, settings));
}
