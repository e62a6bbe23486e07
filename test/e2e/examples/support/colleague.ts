import { z } from 'zod/v4';

import type { N8nApi } from '../../../../dev/stack/api';
import { fetchN8n } from '../../../../dev/stack/fetchN8n';
import type { RestClient } from '../../../../dev/stack/rest';
import { addMember } from './members';
import type { Member } from './members';
import { pageAfter, pageAt, postFields, postForm } from './postForm';
import type { Sent } from './postForm';

const consent = z.object({ data: z.object({ redirectUrl: z.string().optional() }) });

/** Somebody with an account in n8n, at a form that knows who they are. */
export class Colleague {
	private constructor(
		private readonly member: Member,
		private readonly formUrl: () => string,
		/** With this, the first page is sent. */
		private token = '',
	) {}

	/** @param formUrl where the form is, once it is published */
	static async join(api: N8nApi, formUrl: () => string, firstName: string): Promise<Colleague> {
		return new Colleague(await addMember(api, firstName, 'Colleague'), formUrl);
	}

	/** The same person at another address of the form. */
	at(formUrl: () => string): Colleague {
		return new Colleague(this.member, formUrl);
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

	/** Sends the first page. Returns the HTML of the next one, which ends the form. */
	async read(...fields: Sent[]): Promise<string> {
		return await pageAfter(await this.begin(fields), this.login);
	}

	/** Sends the first page. Returns the address of the next one, and its HTML. */
	async enter(...fields: Sent[]): Promise<{ url: string; html: string }> {
		const url = await this.begin(fields);
		return { url, html: await pageAt(url, this.login) };
	}

	/** Opens a case. Returns the address of its page. */
	async open(caseNumber: string): Promise<string> {
		return (await this.enter(caseNumber, '')).url;
	}

	/** Sends a later page. Returns the HTML of the next one. */
	async send(url: string, ...fields: Sent[]): Promise<string> {
		const answer = await postFields(url, fields, this.login);
		expect([answer.status, await answer.text()]).toEqual([200, expect.anything()]);
		return await pageAfter(url, this.login);
	}

	private async begin(fields: Sent[]): Promise<string> {
		this.token ||= await this.logIn();
		return await postForm(this.formUrl(), fields, { 'x-auth-token': this.token });
	}

	/** Opens the form, and allows it to know the account. Returns the token of its page. */
	private async logIn(): Promise<string> {
		const { browserId, cookie } = this.client.session;
		const cookies = new Map([['', cookie]]);
		const open = async (url: string, init: RequestInit = {}) => {
			const headers = { 'browser-id': browserId, cookie: [...cookies.values()].join('; ') };
			const answer = await fetchN8n(url, {
				redirect: 'manual',
				...init,
				headers: { ...headers, 'content-type': 'application/json' },
			});
			for (const set of answer.headers.getSetCookie()) {
				const [pair = ''] = set.split(';');
				cookies.set(pair.split('=')[0] ?? '', pair);
			}
			return answer;
		};
		const follow = async (url: string) =>
			new URL((await open(url)).headers.get('location') ?? '', url).href;
		const allow = async (path: string, init?: RequestInit) =>
			consent.parse(await (await open(`${this.client.url}/rest/consent/${path}`, init)).json())
				.data;

		await follow(await follow(this.formUrl()));
		// n8n remembers that the account has allowed it.
		const { redirectUrl: known } = await allow('details');
		const body = JSON.stringify({ approved: true });
		const { redirectUrl = '' } = known
			? { redirectUrl: known }
			: await allow('approve', { method: 'POST', body });
		const page = await (await open(await follow(redirectUrl))).text();
		const [, token = ''] = /const authToken = '([^']+)'/.exec(page) ?? [];
		expect(token).not.toBe('');
		return token;
	}
}
