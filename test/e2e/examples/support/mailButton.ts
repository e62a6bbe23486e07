import type { ParsedMail } from 'mailparser';

import { fetchN8n } from '../../../../dev/stack/fetchN8n';

/** n8n ignores what it takes for a bot. */
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36' };

/** Selects a button of a mail. Returns the page that it leads to. */
export async function select({ html }: ParsedMail, label: string): Promise<string> {
	const [, href = ''] =
		new RegExp(`href="([^"]+)"[^>]*>\\s*${label}\\s*<`).exec(String(html)) ?? [];
	return await (await fetchN8n(href.replaceAll('&amp;', '&'), { headers: BROWSER })).text();
}
