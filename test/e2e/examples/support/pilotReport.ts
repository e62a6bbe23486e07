import { z } from 'zod/v4';

import { FORM_LOGIN } from '../../../../dev/stack/backend';
import { poll } from '../../../../dev/stack/poll';
import { pilotReport } from '../../../kit/data/pilotReport';
import type { PilotReport } from '../../../kit/data/pilotReport';
import type { LiveWorkflow } from '../../../kit/n8n/liveWorkflow';
import { pageAt, postFields } from './postForm';

/** Who may open the forms of *Pilot*. */
export const AS_TEAM = {
	authorization: `Basic ${Buffer.from(`${FORM_LOGIN.user}:${FORM_LOGIN.password}`).toString('base64')}`,
};

/** What the last page lets the browser save. */
const SAVED = /const binaries = "([^"]+)"/;
const files = z.tuple([z.object({ data: z.string() })]);

/**
 * Selects the button of a page.
 * @returns the HTML of the last page, and the report that a browser saves from it
 */
export async function reportAfter(
	url: string,
	part: PilotReport['part'],
): Promise<{ report: PilotReport; html: string }> {
	await postFields(url, []);
	const html = await pageAt(url);
	const [, saved = ''] = SAVED.exec(html) ?? [];
	const [file] = files.parse(JSON.parse(decodeURIComponent(saved)));
	const report = pilotReport.parse(JSON.parse(file.data));
	expect(report.part).toBe(part);
	// n8n then deletes the execution.
	await postFields(url, []);
	return { report, html };
}

/** Waits until n8n lists no execution, as when it has deleted one that has ended. */
export async function untilGone(workflow: LiveWorkflow): Promise<void> {
	const isGone = async () => (await workflow.list()).length === 0 || undefined;
	await poll(isGone, { what: 'the executions to be deleted', timeoutMs: 60_000 });
}
