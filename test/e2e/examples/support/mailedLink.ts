import type { ParsedMail } from 'mailparser';

import { untilStatus } from '../../../kit/n8n/waitingFlow';
import type { Example } from './useExample';

/** The link in a mail. */
export function linkIn({ text = '' }: ParsedMail): string {
	return /http\S+/.exec(text)?.[0] ?? '';
}

/** The same, when the newest execution of the example waits for its result. */
export async function awaitedLinkIn(mail: ParsedMail, { api, workflow }: Example): Promise<string> {
	const [newest] = await workflow.list();
	await untilStatus(api, String(newest?.id), 'waiting');
	return linkIn(mail);
}
