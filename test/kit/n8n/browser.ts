import { access } from 'node:fs/promises';
import { chromium, selectors } from 'playwright-core';
import type {
	Browser,
	BrowserContext,
	BrowserContextOptions,
	LaunchOptions,
	Page,
} from 'playwright-core';

// As n8n's editor names its parts.
selectors.setTestIdAttribute('data-test-id');

/** For what takes a moment on any machine, so that a busy one fails nothing. */
export const BROWSER_TIMEOUT_MS = 120_000;

/** Debian's Chromium without windows, which takes half as much; quiet, and without a sandbox of its own. */
const CHROMIUM = {
	executablePath: '/usr/bin/chromium-headless-shell',
	timeout: BROWSER_TIMEOUT_MS,
	args: [
		'--headless',
		'--no-sandbox',
		'--disable-gpu',
		'--disable-quic',
		'--no-first-run',
		'--disable-background-networking',
		'--disable-component-update',
		'--disable-sync',
	],
};

/** Rejects with a message for people where there is no browser. */
export async function requireChromium(): Promise<void> {
	const { executablePath } = CHROMIUM;
	await access(executablePath).catch(() => {
		throw new Error(
			`These tests need Chromium at ${executablePath}: install Debian's package chromium-headless-shell.`,
		);
	});
}

export interface TestBrowser {
	/** A window of its own, with nothing stored, for each test. */
	readonly page: Page;
	/** Opens one that tests can share. */
	newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
}

/** A browser for the tests of a file. */
export function useBrowser(options: LaunchOptions = {}): TestBrowser {
	let browser: Browser;
	let userAgent: string;
	let context: BrowserContext;
	let page: Page;
	const newContext = async (of: BrowserContextOptions = {}) => {
		const created = await browser.newContext({ userAgent, ...of });
		created.setDefaultTimeout(BROWSER_TIMEOUT_MS);
		return created;
	};
	beforeAll(async () => {
		browser = await chromium.launch({ ...CHROMIUM, ...options });
		// n8n's option Ignore Bots takes a headless browser for a bot, and it's right.
		const probe = await browser.newPage();
		userAgent = (await probe.evaluate<string>('navigator.userAgent')).replace('Headless', '');
		await probe.close();
	});
	beforeEach(async () => {
		context = await newContext();
		page = await context.newPage();
	});
	afterEach(async () => await context.close());
	afterAll(async () => await browser.close());
	return {
		newContext,
		get page() {
			return page;
		},
	};
}
