import type { Page } from 'playwright-core';

import type { N8nApi } from '../../../../dev/stack/api';
import type { RestClient } from '../../../../dev/stack/rest';
import type { TestBrowser } from '../../../kit/n8n/browser';
import { addMember, windowOf } from './members';
import type { Member } from './members';
import { pageAfter, pageAt, postFields, postForm } from './postForm';
import type { Sent } from './postForm';

/** Somebody at a form that knows who they are, in a browser or by requests of their own. */
export class Colleague {
	private constructor(
		private readonly member: Member,
		private readonly formUrl: () => string,
		readonly page: Page,
		/** With this, the browser sends the first page. */
		private token = '',
	) {}

	/** @param formUrl where the desk is, once it is published */
	static async join(
		api: N8nApi,
		browser: TestBrowser,
		formUrl: () => string,
		firstName: string,
	): Promise<Colleague> {
		const member = await addMember(api, firstName, 'Colleague');
		const page = await windowOf(member, await browser.newContext());
		return new Colleague(member, formUrl, page);
	}

	get id(): string {
		return this.member.id;
	}

	/** In this login. */
	get client(): RestClient {
		return this.member.client;
	}

	get email(): string {
		return this.member.email;
	}

	/** As whom requests are sent after the first page. */
	get login() {
		return { cookie: this.member.client.session.cookie };
	}

	/** Opens the desk, with n8n's consent page the first time, and a case or a customer filled in. */
	async arrive(query = '', page = this.page): Promise<void> {
		await page.goto(`${this.formUrl()}${query}`);
		const consent = page.getByRole('button', { name: 'Allow access' });
		const show = page.getByRole('button', { name: 'Show' });
		await consent.or(show).waitFor();
		if (await consent.isVisible()) await consent.click();
		await show.waitFor();
		const [, token = ''] = /const authToken = '([^']*)'/.exec(await page.content()) ?? [];
		this.token = token;
	}

	/** Selects *Show*. Returns what the next page says, when it has this title. */
	async show(query: string, title: string, page = this.page): Promise<string> {
		await this.arrive(query, page);
		await page.getByRole('button', { name: 'Show' }).click();
		return await textOf(page, title);
	}

	/** Decides on the page of a case. Returns what the next page says, when it has this title. */
	async decide(choice: string, reason: string, title: string, page = this.page): Promise<string> {
		await page.getByLabel('Decision').selectOption(choice);
		await page.getByLabel('Reason').fill(reason);
		await page.getByRole('button', { name: 'Decide' }).click();
		return await textOf(page, title);
	}

	/** Opens a case by a request. Returns the address of its page. */
	async open(caseNumber: string): Promise<string> {
		return (await this.enter(caseNumber, '')).url;
	}

	/** Sends the first page by a request. Returns the address of the next one, and its HTML. */
	async enter(...fields: Sent[]): Promise<{ url: string; html: string }> {
		if (!this.token) await this.arrive();
		const url = await postForm(this.formUrl(), fields, { 'x-auth-token': this.token });
		return { url, html: await pageAt(url, this.login) };
	}

	/** Sends a later page by a request. Returns the HTML of the next one. */
	async send(url: string, ...fields: Sent[]): Promise<string> {
		const answer = await postFields(url, fields, this.login);
		expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
		return await pageAfter(url, this.login);
	}
}

async function textOf(page: Page, title: string): Promise<string> {
	await page.getByRole('heading', { name: title, exact: true }).waitFor();
	return await page.locator('body').innerText();
}
