import type { Locator, Page } from 'playwright-core';

import { poll } from '../../../dev/stack/poll';
import type { Box } from './editor';

const MARGIN = 24;

/**
 * An open section shows its entries within this time, as a rule, and within the longer one after a
 * click.
 */
const OPENING_MS = 1_000;
const OPENED_MS = 5_000;
const TIMEOUT_MS = 60_000;

export type Section = 'Actions' | 'Triggers';

/** n8n's panel of all nodes, at the right of the canvas. */
export class NodePanel {
	constructor(private readonly page: Page) {}

	async open(): Promise<void> {
		await this.page.getByTestId('node-creator-plus-button').click();
	}

	/** Opens the panel at the plus sign behind a node: what is chosen is connected to it. */
	async openBehind(node: Locator): Promise<void> {
		await node.getByTestId('canvas-handle-plus').click();
	}

	/** Types into the search field. */
	async search(text: string): Promise<void> {
		await this.page.getByTestId('node-creator-search-bar').click();
		await this.page.keyboard.type(text);
	}

	/** Whether a search for a text offers a node. */
	async finds(text: string, name: string): Promise<boolean> {
		await this.page.getByTestId('node-creator-search-bar').click();
		await this.page.keyboard.press('Control+a');
		await this.page.keyboard.type(text);
		return await this.comes(name, TIMEOUT_MS);
	}

	/** An entry of the list, by the start of its name. */
	entry(name: string): Locator {
		return this.page.getByTestId('node-creator-item-name').filter({ hasText: name }).first();
	}

	/** The part of the window that the panel fills, down to its last entry. */
	async box(): Promise<Box> {
		const panel = await this.page.getByTestId('node-creator').boundingBox();
		const last = await this.page.getByTestId('node-creator-item-name').last().boundingBox();
		if (!panel || !last) throw new Error('The node panel is not open.');
		return { ...panel, height: last.y + last.height + MARGIN - panel.y };
	}

	/** Opens a section of an app's details, unless it's open. */
	async unfold(section: Section, entry: string): Promise<void> {
		const heading = this.page
			.getByTestId('node-creator-category-item')
			.filter({ hasText: section });
		await heading.waitFor();
		// A click closes a section that was only late to show its entries: another one opens it again.
		await poll(
			async () => {
				if (await this.comes(entry, OPENING_MS)) return true;
				await heading.click();
				return (await this.comes(entry, OPENED_MS)) || undefined;
			},
			{ what: `${entry} in the node panel`, timeoutMs: TIMEOUT_MS },
		);
	}

	/** Whether an entry is to be seen within a time. */
	private async comes(entry: string, timeout: number): Promise<boolean> {
		return await this.entry(entry)
			.waitFor({ timeout })
			.then(
				() => true,
				() => false,
			);
	}

	/** Searches for a node and puts it on the canvas, which opens it. */
	async add(app: string, section: Section, entry: string): Promise<void> {
		await this.search(app);
		await this.entry(app).click();
		await this.unfold(section, entry);
		await this.entry(entry).click();
		await this.page.getByTestId('ndv').waitFor();
	}
}
