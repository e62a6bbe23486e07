import { sleep } from 'n8n-workflow';

/** Holds back all requests of one node run while the service asks for a pause. */
export class Pause {
	private until = 0;

	/** Lengthens the pause so that it ends no earlier than in `ms` milliseconds. */
	extend(ms: number): void {
		this.until = Math.max(this.until, Date.now() + ms);
	}

	/** Resolves when the pause is over, or at once when the execution is stopped. */
	async over(signal: AbortSignal | undefined): Promise<void> {
		if (this.until <= Date.now()) return;
		const stopped = new Promise<void>((resolve) => {
			signal?.addEventListener('abort', () => resolve(), { once: true });
		});
		while (!signal?.aborted && this.until > Date.now()) {
			await Promise.race([sleep(this.until - Date.now()), stopped]);
		}
	}
}
