import type { Locator, Page } from 'playwright-core';

/** What the browser knows of a text on the page. */
interface ShownText {
	textContent: string;
	clientHeight: number;
	scrollHeight: number;
}

/** The panel of an open node, or of the credential that was opened from it. */
export class OpenNode {
	readonly output: Locator;

	constructor(private readonly page: Page) {
		this.output = page.getByTestId('output-panel');
	}

	/** Types into the field of a parameter. */
	async fill(name: string, value: string): Promise<void> {
		await this.page.getByTestId(`parameter-input-${name}`).locator('input').fill(value);
	}

	/** Whether the node shows a parameter with its present settings. */
	async shows(name: string): Promise<boolean> {
		return await this.page.getByTestId(`parameter-input-${name}`).isVisible();
	}

	/** What the field of a parameter shows. */
	async valueOf(name: string): Promise<string> {
		return await this.page.getByTestId(`parameter-input-${name}`).locator('input').inputValue();
	}

	/** Opens the list of a parameter, and closes it again. Returns the names that it offers. */
	async choicesOf(name: string): Promise<string[]> {
		const field = this.page.getByTestId(`parameter-input-${name}`);
		await field.click();
		const names = this.page.locator('.el-select-dropdown__item:visible .option-headline');
		await names.first().waitFor();
		const texts = await names.allTextContents();
		// Open, the list can lie on what is clicked next.
		await field.click();
		await names.first().waitFor({ state: 'hidden' });
		return texts.map((text) => text.trim());
	}

	/** Opens the list of a parameter, and closes it again. Returns the texts that don't fit. */
	async cutTextsOf(name: string): Promise<string[]> {
		const field = this.page.getByTestId(`parameter-input-${name}`);
		await field.click();
		const entries = this.page.locator('.el-select-dropdown__item:visible');
		await entries.first().waitFor();
		const texts = entries.locator('div, span');
		const cut = await texts.evaluateAll((elements: ShownText[]) =>
			elements
				.filter(
					({ clientHeight, scrollHeight }) => clientHeight > 0 && scrollHeight > clientHeight + 1,
				)
				.map(({ textContent }) => textContent),
		);
		await field.click();
		await entries.first().waitFor({ state: 'hidden' });
		return cut;
	}

	async chooseCredential(name: string): Promise<void> {
		await this.page.getByTestId('node-credentials-select').click();
		const choice = `[data-test-id^="node-credentials-select-item"]:has-text("${name}")`;
		await this.page.locator(choice).click();
	}

	async chooseCredentialById(id: string): Promise<void> {
		await this.page.getByTestId('node-credentials-select').click();
		await this.page.getByTestId(`node-credentials-select-item-${id}`).click();
	}

	/** Opens the credential, once the dialog in which it was created has closed. */
	async editCredential(): Promise<void> {
		const dialog = this.page.getByTestId('credential-edit-dialog');
		await dialog.waitFor({ state: 'hidden' });
		await this.page.getByTestId('credential-edit-button').click();
		await dialog.waitFor();
	}

	async saveCredential(): Promise<void> {
		await this.page.getByTestId('credential-save-button').click();
	}

	async execute(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
	}

	/**
	 * Waits until a branch of the output has an item. Returns what is to be read of the branches, and
	 * opens that one.
	 */
	async openBranch(): Promise<string> {
		const branches = this.output.getByTestId('branches');
		const taken = branches.getByText('(1 item)');
		await taken.waitFor();
		const names = await branches.innerText();
		await taken.click();
		return names;
	}

	/** Shows the output as a list of fields with their values. Returns what is to be read there. */
	async readFields(): Promise<string> {
		await this.output.getByTestId('radio-button-schema').click();
		await this.output.getByTestId('run-data-schema-item').first().waitFor();
		return await this.output.innerText();
	}

	async close(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.page.getByTestId('ndv').waitFor({ state: 'hidden' });
	}
}
