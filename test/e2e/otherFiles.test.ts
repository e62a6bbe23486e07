import { fetchN8n } from '../../dev/stack/fetchN8n';
import { picture } from '../kit/imageBytes';
import { sha256 } from '../kit/sandbox';
import { openStack } from '../kit/n8n/handle';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useService } from '../kit/n8n/service';
import { actionNode, webhookNode, workflowOf } from '../kit/n8n/workflow';

const { api } = openStack();
const service = useService(api, '');
const { sandbox } = service;

const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj %%EOF');

/** Uploads a file to a workflow that scans it and answers with the scan's item. */
async function scanUpload(content: Buffer, mimeType: string, parameters: object = {}) {
	const scan = actionNode('Scan', {
		credentialId: service.credentialId,
		parameters: {
			operation: 'scan',
			profile: 'sandbox-accept',
			documentBinaryField: 'Photo_of_your_ID',
			...parameters,
		},
		settings: { onError: 'continueRegularOutput' },
	});
	const file = workflowOf([webhookNode('Upload'), scan], [['Upload', 'Scan']]);
	const live = await LiveWorkflow.start(api, file);
	const form = new FormData();
	form.set('Photo_of_your_ID', new Blob([content], { type: mimeType }), 'ECONNRESET.jpg');
	const answer = await fetchN8n(live.url('Upload'), { method: 'POST', body: form });
	return (await answer.json()) as Record<string, unknown>;
}

it('a PDF that n8n notes as a JPEG is not sent', async () => {
	expect(await scanUpload(PDF, 'image/jpeg')).toEqual({
		error: `The document image is a PDF file, not an image. 'Document Image Binary Field' points to "ECONNRESET.jpg". The item has these binary fields: Photo_of_your_ID. Nothing was charged [item 0]`,
	});
	expect(await sandbox.requests()).toEqual([]);
});

it('a JPEG that n8n notes as something else is scanned', async () => {
	const image = picture();

	expect(await scanUpload(image, 'application/octet-stream')).toMatchObject({ decision: 'accept' });
	expect(await sandbox.documents()).toEqual([sha256(image)]);
});
