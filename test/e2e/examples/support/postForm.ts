import { z } from 'zod/v4';

import { fetchN8n } from '../../../../dev/stack/fetchN8n';
import { poll } from '../../../../dev/stack/poll';
import { DEADLINE } from '../../../kit/n8n/waitingFlow';

/** A field of a form: a text, or files. */
export type Sent = string | File[];

/** n8n takes this for a bot, which the forms of the examples don't ignore. */
const HEADERS = { 'user-agent': 'curl/8.0' };

/** States in which an execution shows no further page. */
const ENDED = ['success', 'error', 'crashed', 'canceled'];

const submitted = z.object({ formWaitingUrl: z.string() });

/** Who sends it: headers with a login. */
export type Sender = Record<string, string>;

/**
 * Sends what somebody has entered to a form without opening it in a browser, as an attacker does.
 * @returns the address of the form's next page
 */
export async function postForm(
	formUrl: string,
	fields: Sent[],
	sender: Sender = {},
): Promise<string> {
	const answer = await postFields(formUrl, fields, sender);
	const text = await answer.text();
	expect([answer.status, text]).toEqual([200, expect.stringContaining('formWaitingUrl')]);
	return submitted.parse(JSON.parse(text)).formWaitingUrl;
}

/** The same, with any answer. */
export async function postFields(
	url: string,
	fields: Sent[],
	sender: Sender = {},
): Promise<Response> {
	const body = new FormData();
	for (const [index, field] of fields.entries()) {
		for (const value of typeof field === 'string' ? [field] : field) {
			body.append(`field-${index}`, value);
		}
	}
	return await fetchN8n(url, { method: 'POST', body, headers: { ...HEADERS, ...sender } });
}

/** The HTML of the form's next page, which then lets the workflow go on, as in a browser. */
export async function pageAfter(url: string, sender: Sender = {}): Promise<string> {
	const page = await pageAt(url, sender);
	await fetchN8n(url, { method: 'POST', headers: { ...HEADERS, ...sender } });
	return page;
}

/** The HTML of the page to which a form leads whoever enters this, where it ends. */
export async function endPage(formUrl: string, ...fields: Sent[]): Promise<string> {
	return await pageAfter(await postForm(formUrl, fields));
}

/** The HTML of the form's next page, which waits for what is entered on it. */
export async function pageAt(url: string, sender: Sender = {}): Promise<string> {
	const status = new URL(url);
	status.pathname += '/n8n-execution-status';
	const isThere = async () => {
		const answer = await textOf(status.href, sender);
		if (ENDED.includes(answer)) throw new Error(`Ended (${answer}) before its next page: ${url}`);
		return answer === 'form-waiting' ? await textOf(url, sender) : undefined;
	};
	return await poll(isThere, { what: 'the next page of the form', ...DEADLINE });
}

async function textOf(url: string, sender: Sender): Promise<string> {
	return await (await fetchN8n(url, { headers: { ...HEADERS, ...sender } })).text();
}
