import { poll } from '../../../dev/stack/poll';
import { picture } from '../../kit/data/picture';
import { TestSandbox } from '../../kit/service/sandbox';

const DOCUMENT = picture();

/** Talks to a sandbox over HTTP as the package does, and as it shouldn't. */
export class SandboxUnderTest extends TestSandbox {
	async scan(fields: object = {}): Promise<Response> {
		const document = DOCUMENT.toString('base64');
		return await this.call('/scan', { profile: 'sandbox-accept', document, ...fields });
	}
}

/** The JSON of an answer, as the type that the test expects. */
export async function json<Body>(response: Response): Promise<Body> {
	return (await response.json()) as Body;
}

/** Waits until the reading gives a value. */
export async function eventually<Value>(
	reading: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
	const options = { what: 'it to happen', timeoutMs: 20_000, intervalMs: 25 };
	return await poll(async () => await reading(), options);
}
