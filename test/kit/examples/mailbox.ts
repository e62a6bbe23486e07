import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { simpleParser } from 'mailparser';
import type { ParsedMail } from 'mailparser';
import { SMTPServer } from 'smtp-server';

import type { N8nApi } from '../../../dev/stack/api';

export interface Mailbox {
	/** ID in n8n of a credential that sends into this mailbox. */
	readonly credentialId: string;
	/** The mails that have come in since the last call. */
	take(): ParsedMail[];
}

/** A mail server for the tests of a file, and a credential for it in n8n. */
export function useMailbox(api: N8nApi): Mailbox {
	let received: ParsedMail[] = [];
	let credentialId = '';
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onData(stream, _session, done) {
			simpleParser(stream).then((mail) => {
				received.push(mail);
				done();
			}, done);
		},
	});
	beforeAll(async () => {
		const listening = server.listen(0, '127.0.0.1');
		await once(listening, 'listening');
		const { port } = listening.address() as AddressInfo;
		credentialId = await api.saveCredential({
			name: 'SMTP account',
			type: 'smtp',
			data: { host: '127.0.0.1', port, secure: false, disableStartTls: true },
		});
	});
	afterAll(async () => await new Promise<void>((resolve) => server.close(resolve)));
	return {
		get credentialId() {
			return credentialId;
		},
		take() {
			const taken = received;
			received = [];
			return taken;
		},
	};
}
