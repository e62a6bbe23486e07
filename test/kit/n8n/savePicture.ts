import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';

import { ROOT } from '../../../dev/stack/paths';
import type { Box } from './editor';

const IS_WANTED = Boolean(process.env.UPDATE_PICTURES);

/** Saves a part of the window as a picture of the repository, if `UPDATE_PICTURES` is set. */
export async function savePicture(page: Page, file: string, clip: Box): Promise<void> {
	if (!IS_WANTED) return;
	const path = join(ROOT, file);
	await mkdir(dirname(path), { recursive: true });
	await page.screenshot({ path, clip, animations: 'disabled', caret: 'hide' });
}
