import { buffer } from 'node:stream/consumers';
import type PDFDocument from 'pdfkit';

import { SPECIMENS } from './results/specimens';
import type { StoredResult } from './results/store';

type Pdf = InstanceType<typeof PDFDocument>;

const MARGIN = 50;
const PICTURE_WIDTH = 280;
const LABEL_WIDTH = 130;
const COLUMN_WIDTH = 360;
const QUIET = '#546973';
const TEXT = '#16262f';
const TONES = { accept: '#1b7a43', review: '#8f5a00', reject: '#b3261e' };

/** The PDF audit report of a result (interface.md#profile): decision, findings and fields. */
export async function auditReport({ result }: StoredResult): Promise<Buffer> {
	// Loaded only when it's needed: that takes as long as loading the rest of the sandbox.
	const { default: PDFKit } = await import('pdfkit');
	const pdf = new PDFKit({ size: 'A4', margin: MARGIN, info: { Title: 'Audit Report' } });
	const content = buffer(pdf);
	const { decision, transactionId, profileId, reviewScore, rejectScore } = result;
	pdf.fontSize(22).fillColor(TEXT).text('Audit Report');
	pdf.fontSize(9).fillColor(QUIET).text('Sandbox: invented data, not a real verification.');
	pdf.moveDown().fontSize(16).fillColor(TONES[decision]);
	pdf.text(`Decision: ${decision}`).moveDown(0.5);
	row(pdf, 'Transaction', transactionId);
	row(pdf, 'Profile', profileId);
	row(pdf, 'Created', new Date().toISOString());
	row(pdf, 'Scores', `review ${reviewScore}, reject ${rejectScore}`);
	// Not the picture that was sent: PDFKit fails on a damaged one.
	if (result.outputImage.front) pdf.moveDown().image(SPECIMENS.front, { width: PICTURE_WIDTH });
	heading(pdf, 'Findings');
	if (result.warning.length === 0) pdf.fontSize(9).fillColor(TEXT).text('None.');
	for (const { code, description } of result.warning) row(pdf, code, description);
	heading(pdf, 'Fields');
	for (const [field, [entry]] of Object.entries(result.data)) {
		if (entry?.value) row(pdf, field, entry.value);
	}
	pdf.end();
	return await content;
}

function heading(pdf: Pdf, text: string): void {
	pdf.moveDown().fontSize(13).fillColor(TEXT).text(text).moveDown(0.3);
}

function row(pdf: Pdf, label: string, value: string): void {
	const isLast = pdf.y > pdf.page.height - MARGIN * 2;
	if (isLast) pdf.addPage();
	const top = pdf.y;
	pdf.fontSize(9).fillColor(QUIET).text(label, MARGIN, top, { width: LABEL_WIDTH });
	const bottom = pdf.y;
	pdf.fillColor(TEXT).text(value, MARGIN + LABEL_WIDTH, top, { width: COLUMN_WIDTH });
	pdf.x = MARGIN;
	pdf.y = Math.max(bottom, pdf.y) + 2;
}
