import type { Result } from '../../dev/sandbox/interface';
import { useFresh } from '../kit/sandbox';
import { SandboxUnderTest, json } from '../kit/sandboxUnderTest';

const client = useFresh(new SandboxUnderTest());

async function scan(fields: object = {}): Promise<Result> {
	return await json(await client.scan(fields));
}

async function bytesOf(response: Response): Promise<Buffer> {
	return Buffer.from(await response.arrayBuffer());
}

function describeFile({ headers }: Response): (string | null)[] {
	return ['content-type', 'content-length', 'content-disposition'].map((name) => headers.get(name));
}

it('lie on another host than the service', async () => {
	const { outputImage, outputFile } = await scan();
	const hosts = [outputImage.front, outputImage.face, outputFile[0]?.fileUrl].map(
		(url) => new URL(String(url)).origin,
	);
	expect(new Set(hosts)).toEqual(new Set([client.filesUrl]));
	expect(client.filesUrl).not.toBe(client.url);
});

it.each(['sandbox-accept', 'sandbox-aml', 'sandbox-empty-data'])(
	'serve the audit report of %s as PDF',
	async (profile) => {
		const { outputFile } = await scan({ profile });
		const { fileName, fileUrl } = outputFile[0] ?? {};
		const response = await fetch(String(fileUrl));
		const pdf = await bytesOf(response);
		expect(describeFile(response)).toEqual([
			'application/pdf',
			String(pdf.length),
			`attachment; filename="${fileName}"`,
		]);
		expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
		expect(pdf.subarray(-6).toString()).toContain('%%EOF');
	},
);

it('have no audit report for a profile without one', async () => {
	await client.setProfile('sandbox-accept', { auditReport: false });
	const { outputFile, transactionId } = await scan();
	expect(outputFile).toEqual([]);
	const response = await fetch(`${client.filesUrl}/reports/${transactionId}.pdf`);
	expect(response.status).toBe(404);
});
