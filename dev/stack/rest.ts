import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod/v4';

import { fetchN8n } from './fetchN8n';

const READY_TIMEOUT_MS = 60_000;
const READY_INTERVAL_MS = 200;

export interface Login {
	email: string;
	password: string;
}

const settingsAnswer = z.object({
	userManagement: z.object({ showSetupOnFirstLoad: z.boolean() }),
});

const envelope = z.object({ data: z.unknown() });

/** What a later client needs to go on in the same login. */
export interface Session {
	browserId: string;
	cookie: string;
	/** IDs that n8n gave to workflows, by the IDs in their files: n8n 1 doesn't keep those. */
	workflowIds: Partial<Record<string, string>>;
}

/** A client of n8n's own REST interface, the one that its editor uses. */
export class RestClient {
	constructor(
		/** n8n's address, without a trailing slash. */
		readonly url: string,
		/** n8n allows few logins a minute: tests share one. */
		readonly session: Session = {
			browserId: randomUUID(),
			cookie: '',
			workflowIds: {},
		},
	) {}

	/** Sets the owner up in a new n8n, or logs in as the owner. */
	async enter({ email, password }: Login): Promise<void> {
		const settings = await this.get('/settings', settingsAnswer);
		if (settings.userManagement.showSetupOnFirstLoad) {
			const names = { firstName: 'Development', lastName: 'Owner' };
			await this.logIn('/owner/setup', { email, password, ...names });
		} else {
			await this.logIn('/login', { emailOrLdapLoginId: email, password });
		}
	}

	/** Stays logged in as whom this call of n8n logs in. */
	async logIn(path: string, body: object): Promise<void> {
		const answer = await this.send('POST', path, body);
		const cookies = answer.headers.getSetCookie();
		this.session.cookie = cookies.map((cookie) => cookie.split(';', 1)[0]).join('; ');
	}

	/** Reads `data` of the answer. Rejects with n8n's own message if it's an error. */
	async get<Schema extends z.ZodTypeAny>(path: string, schema: Schema): Promise<z.output<Schema>> {
		return await readData(await this.send('GET', path), schema);
	}

	async post<Schema extends z.ZodTypeAny>(
		path: string,
		body: object,
		schema: Schema,
	): Promise<z.output<Schema>> {
		return await readData(await this.send('POST', path, body), schema);
	}

	async patch<Schema extends z.ZodTypeAny>(
		path: string,
		body: object,
		schema: Schema,
	): Promise<z.output<Schema>> {
		return await readData(await this.send('PATCH', path, body), schema);
	}

	async delete(path: string): Promise<void> {
		await this.send('DELETE', path);
	}

	/** Reads a file that an execution holds, as the editor downloads it. */
	async getFile(id: string): Promise<Buffer> {
		const query = new URLSearchParams({ id, action: 'download' });
		const answer = await this.send('GET', `/binary-data?${query}`);
		return Buffer.from(await answer.arrayBuffer());
	}

	private async send(method: string, path: string, body?: object): Promise<Response> {
		const deadline = Date.now() + READY_TIMEOUT_MS;
		let answer = await this.sendOnce(method, path, body);
		// When n8n was too busy to reach its own database in time, it refuses everything with 503 for a
		// moment.
		while (answer.status === 503 && Date.now() < deadline) {
			await sleep(READY_INTERVAL_MS);
			answer = await this.sendOnce(method, path, body);
		}
		if (answer.ok) return answer;
		throw new RestError(method, path, answer.status, await answer.text());
	}

	private async sendOnce(method: string, path: string, body?: object): Promise<Response> {
		const { browserId, cookie } = this.session;
		return await fetchN8n(`${this.url}/rest${path}`, {
			method,
			headers: {
				'browser-id': browserId,
				cookie,
				'content-type': 'application/json',
			},
			body: body && JSON.stringify(body),
		});
	}
}

/** n8n refused a call. */
export class RestError extends Error {
	constructor(
		method: string,
		path: string,
		readonly status: number,
		text: string,
	) {
		super(`n8n answered ${method} /rest${path} with ${status}: ${text}`);
	}
}

/** Catches a call's rejection: undefined if what is asked for isn't there. */
export function absent(error: unknown): undefined {
	if (error instanceof RestError && error.status === 404) return undefined;
	throw error;
}

async function readData<Schema extends z.ZodTypeAny>(
	answer: Response,
	schema: Schema,
): Promise<z.output<Schema>> {
	return schema.parse(envelope.parse(await answer.json()).data);
}
