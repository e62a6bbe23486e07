import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import { ROOT } from '../../../dev/stack/paths';

/** Where the screenshots go; not in the repository. */
export const SCREENSHOTS = join(ROOT, 'build', 'ui');

export interface Steps {
	/** A test that leaves a screenshot, also when it fails. */
	step(title: string, run: () => Promise<void>): void;
	/** Takes a screenshot in the middle of a step. */
	shoot(name: string, page?: Page): Promise<void>;
}

/** Screenshots of the tests of a file, in a folder of their own and numbered in their order. */
export function useSteps(folder: string, currentPage: () => Page): Steps {
	const screenshots = join(SCREENSHOTS, folder);
	let number = 0;

	async function shoot(name: string, page = currentPage()): Promise<void> {
		number += 1;
		const words = name.toLowerCase().replace(/[^a-z]+/g, '-');
		const path = join(screenshots, `${String(number).padStart(2, '0')}-${words}.png`);
		await page.screenshot({ path, animations: 'disabled', caret: 'hide' });
	}

	beforeAll(async () => {
		await rm(screenshots, { recursive: true, force: true });
		await mkdir(screenshots, { recursive: true });
	});

	return {
		shoot,
		step(title, run) {
			it(title, async () => {
				try {
					await run();
				} catch (error) {
					await shoot(`failed ${title}`);
					throw error;
				}
				await shoot(title);
			});
		},
	};
}
