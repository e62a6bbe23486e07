import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';

import { SCREENSHOTS } from './steps';

/** Names of the package, of its nodes and of their files. */
const PACKAGE = /identity[ -]?verification/i;

/** What the browser reported while the tests of a file ran. */
export class Complaints {
	private readonly all = new Set<string>();

	/** Listens to all windows of a context. Addresses outside n8n get no answer. */
	async listen(context: BrowserContext, n8nUrl: string): Promise<void> {
		await context.route(
			({ origin }) => origin !== n8nUrl,
			async (route) => await route.abort(),
		);
		// n8n's editor asks the npm registry about the package, which says nothing about the package.
		const add = (kind: string, text: string, url = '') =>
			this.all.add(`${kind}: ${text} ${url.startsWith('http') ? inN8n(url, n8nUrl) : url}`);
		context.on('console', (message) => {
			if (message.type() === 'error') add('console', message.text(), message.location().url);
		});
		context.on('weberror', (thrown) => {
			const error = thrown.error();
			add('page', error.stack ?? error.message);
		});
		context.on('requestfailed', (request) => {
			const text = request.failure()?.errorText ?? 'failed';
			// Leaving a page ends what it was loading.
			if (text !== 'net::ERR_ABORTED') add('request', text, request.url());
		});
		context.on('response', (response) => {
			if (response.status() >= 400) add('answer', String(response.status()), response.url());
		});
	}

	/** Those that name the package. The others are written beside the screenshots. */
	async ofPackage(): Promise<string[]> {
		const all = [...this.all];
		const others = all.filter((text) => !PACKAGE.test(text));
		await writeFile(join(SCREENSHOTS, 'other-complaints.txt'), others.join('\n'));
		if (others.length > 0) console.log(`Not of the package:\n${others.join('\n')}`);
		return all.filter((text) => PACKAGE.test(text));
	}
}

function inN8n(url: string, n8nUrl: string): string {
	return url.startsWith(n8nUrl) ? url.slice(n8nUrl.length) : new URL(url).origin;
}
