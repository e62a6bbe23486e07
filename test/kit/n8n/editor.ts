import type { BrowserContext, Page } from 'playwright-core';

import type { WorkflowFile } from '../../../dev/stack/api';
import type { Login, Session } from '../../../dev/stack/rest';

/**
 * What lies over or under the canvas, and is no part of a workflow. The dots make a picture larger
 * by a quarter.
 */
const OVERLAYS = [
	'.vue-flow__background',
	'.vue-flow__panel',
	'.el-notification',
	'[aria-label="Select trigger node"]',
	...[
		'add-sticky-button',
		'canvas-controls',
		'canvas-handle-plus-wrapper',
		'command-bar-button',
		'execute-workflow-button',
		'floating-nodes',
		'node-creator-plus-button',
		'panel-drag-button',
		'toggle-focus-panel-button',
	].map((id) => `[data-test-id="${id}"]`),
];

/** Room that the editor's bars take beside the canvas, in pixels. */
const BARS = { width: 144, height: 280 };
/** By how much open groups are larger than their nodes, in pixels. */
const GROUPS = { width: 96, height: 96 };
const NODE_SIZE = 96;
const LABEL_HEIGHT = 64;
/** Labels and loops reach beyond their nodes. */
const MARGIN = 72;
/** Title bar of an open node. */
const TITLE_HEIGHT = 42;

export interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

/**
 * A window where n8n uses a text at once. Otherwise, it waits a moment for more, and a click can be
 * faster.
 */
async function newPage(context: BrowserContext): Promise<Page> {
	await context.addInitScript("sessionStorage.setItem('N8N_DEBOUNCE_MULTIPLIER', '0')");
	return await context.newPage();
}

/** n8n's editor, as its owner sees it. */
export class Editor {
	private constructor(
		private readonly url: string,
		readonly page: Page,
	) {}

	/** Opens a window in the login of a session. */
	static async open(
		context: BrowserContext,
		{ n8nUrl, session }: { n8nUrl: string; session: Session },
	): Promise<Editor> {
		const cookies = session.cookie.split('; ').map((cookie) => {
			const [name = '', ...value] = cookie.split('=');
			return { name, value: value.join('='), url: n8nUrl };
		});
		await context.addCookies(cookies);
		const browserId = JSON.stringify(session.browserId);
		await context.addInitScript(`localStorage.setItem('n8n-browserId', ${browserId})`);
		return new Editor(n8nUrl, await newPage(context));
	}

	/** Opens a window on the login page. */
	static async openLogin(context: BrowserContext, n8nUrl: string): Promise<Editor> {
		const page = await newPage(context);
		await page.goto(`${n8nUrl}/signin`);
		return new Editor(n8nUrl, page);
	}

	/** Fills in the login page. n8n allows five logins a minute. */
	async logIn({ email, password }: Login): Promise<void> {
		await this.page.getByLabel('Email').fill(email);
		await this.page.getByLabel('Password').fill(password);
		await this.page.getByRole('button', { name: 'Sign in' }).click();
		await this.page.getByTestId('universal-add').waitFor();
	}

	/** Opens an empty workflow. */
	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.url}/workflow/new`);
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	/**
	 * Imports a file with n8n's own menu into an empty workflow, and saves it.
	 * @returns the ID of the workflow
	 */
	async importWorkflow(path: string): Promise<string> {
		await this.newWorkflow();
		await this.openMenu('Import');
		const [chooser] = await Promise.all([
			this.page.waitForEvent('filechooser'),
			this.page.getByRole('menuitem', { name: /^From File/i }).click(),
		]);
		const saved = this.page.waitForResponse(
			(response) => response.request().method() === 'POST' && /\/workflows\b/.test(response.url()),
		);
		await chooser.setFiles(path);
		await this.page.locator('[data-test-id="canvas-node"]').first().waitFor();
		await this.page.keyboard.press('Control+s');
		await saved;
		return new URL(this.page.url()).pathname.split('/').at(-1) ?? '';
	}

	/** Opens an entry of the menu beside the workflow's name. */
	async openMenu(entry: string): Promise<void> {
		await this.page.getByTestId('workflow-menu').click();
		await this.page.getByRole('menuitem', { name: entry }).click();
	}

	/** Opens a workflow in a window that is large enough to show all of it at full size. */
	async openWorkflow(workflow: WorkflowFile): Promise<void> {
		const { width, height } = extent(workflow);
		await this.page.setViewportSize({
			width: Math.ceil(width + BARS.width + GROUPS.width),
			height: Math.ceil(height + BARS.height + GROUPS.height),
		});
		await this.page.goto(`${this.url}/workflow/${workflow.id}`);
		await this.page.locator('[data-test-id="canvas-node"]').first().waitFor();
		// The editor closes all groups when it opens a workflow.
		const toggles = this.page.locator('[data-test-id="canvas-node-group-toggle"]');
		for (const toggle of await toggles.all()) await toggle.click();
		// Open groups are wider than what the editor has fitted into the window.
		if ((await toggles.count()) > 0) await this.page.getByTestId('zoom-to-fit').click();
	}

	/** Opens the panel of a node. */
	async openNode(name: string): Promise<void> {
		await this.node(name).dblclick();
		await this.page.locator('[data-test-id="ndv"]').waitFor();
	}

	node(name: string) {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	/**
	 * The part of the window that panels of an open node fill, from the left one to the right one.
	 */
	async panels(...testIds: string[]): Promise<Box> {
		await this.hideOverlays();
		const boxes = await Promise.all(
			testIds.map(
				async (id) => await this.page.locator(`[data-test-id="${id}"]`).first().boundingBox(),
			),
		);
		const found = boxes.filter((box) => box !== null);
		const left = Math.min(...found.map(({ x }) => x));
		const right = Math.max(...found.map(({ x, width }) => x + width));
		const frame = await this.page.locator('[data-test-id="ndv"]').boundingBox();
		const { y = 0, height = 0 } = frame ?? {};
		return { x: left, y: y + TITLE_HEIGHT, width: right - left, height: height - TITLE_HEIGHT - 2 };
	}

	/** The first lines of the notes on the canvas that don't show all of their text. */
	async cutOffNotes(): Promise<string[]> {
		return await this.page.evaluate<string[]>(`
			[...document.querySelectorAll('[data-test-id="sticky"]')]
				.filter((note) => [...note.querySelectorAll('*')].some((part) =>
					getComputedStyle(part).overflowY === 'hidden' && part.scrollHeight > part.clientHeight))
				.map((note) => note.textContent.trim().split('\\n')[0])
		`);
	}

	/**
	 * Hides what lies over the canvas, and the notes on it if wanted. Returns the part of the window
	 * that the workflow fills.
	 */
	async clear({ notes }: { notes: boolean }): Promise<Box> {
		await this.hideOverlays();
		if (!notes) {
			await this.page.addStyleTag({
				content: '.vue-flow__node:has([data-test-id="sticky"]) { display: none !important; }',
			});
		}
		const boxes = await this.page.evaluate<Box[]>(
			`[...document.querySelectorAll('.vue-flow__node')]
				.map((node) => node.getBoundingClientRect().toJSON())
				.filter(({ width }) => width > 0)`,
		);
		const left = Math.min(...boxes.map(({ x }) => x)) - MARGIN;
		const top = Math.min(...boxes.map(({ y }) => y)) - MARGIN;
		const right = Math.max(...boxes.map(({ x, width }) => x + width)) + MARGIN;
		const bottom = Math.max(
			...boxes.map(({ y, height }) => y + height + (height > NODE_SIZE * 1.5 ? 0 : LABEL_HEIGHT)),
		);
		return { x: left, y: top, width: right - left, height: bottom + MARGIN / 4 - top };
	}

	private async hideOverlays(): Promise<void> {
		const content = `${OVERLAYS.join(', ')} { visibility: hidden !important; }`;
		await this.page.addStyleTag({ content });
	}
}

/** Size of a workflow on the canvas. */
function extent({ nodes }: WorkflowFile): { width: number; height: number } {
	const boxes = nodes.map(({ position, parameters }) => {
		const [x = 0, y = 0] = position as number[];
		const { width = NODE_SIZE, height = NODE_SIZE + LABEL_HEIGHT } = parameters;
		return { left: x, top: y, right: x + Number(width), bottom: y + Number(height) };
	});
	return {
		width: Math.max(...boxes.map(({ right }) => right)) - Math.min(...boxes.map((b) => b.left)),
		height: Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map((b) => b.top)),
	};
}
