import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

import { poll } from '../../../../dev/stack/poll';
import { pilotReport } from '../../../kit/data/pilotReport';
import type { PilotReport } from '../../../kit/data/pilotReport';
import type { LiveWorkflow } from '../../../kit/n8n/liveWorkflow';

/** Selects a button. Returns the report that the browser then saves, and what the page shows. */
export async function reportAfter(
	page: Page,
	button: string,
	part: PilotReport['part'],
): Promise<{ report: PilotReport; text: string }> {
	const saved = page.waitForEvent('download');
	await page.getByRole('button', { name: button }).click();
	const json = await readFile(await (await saved).path(), 'utf8');
	const report = pilotReport.parse(JSON.parse(json));
	expect(report.part).toBe(part);
	return { report, text: await page.locator('.card').innerText() };
}

/** Waits until n8n lists no execution, as when it has deleted one that has ended. */
export async function untilGone(workflow: LiveWorkflow): Promise<void> {
	const isGone = async () => (await workflow.list()).length === 0 || undefined;
	await poll(isGone, { what: 'the executions to be deleted', timeoutMs: 60_000 });
}
