import type { Interruption, RequestFailure } from './requestFailure';
import type { ByteStream } from './stream';
import { startTimer } from './timer';

/**
 * A request and its answer on their way. It is interrupted when nothing moves for too long, and
 * when its execution is canceled. Whatever it waits for, n8n's storage and n8n's HTTP client
 * included, is awaited through `race` only: so an interruption ends every wait, and the request's
 * place in the pace is always given back.
 */
export class Transfer {
	/** Why it was ended early; undefined unless it was. */
	interruption: Interruption | undefined;

	/** Resolves when it is ended early. */
	readonly interrupted: Promise<Interruption>;

	private readonly controller = new AbortController();

	private isOver = false;

	private movedAt = performance.now();

	private limit: { endsAt: number; afterMs: number } | undefined;

	private resolveInterrupted: (interruption: Interruption) => void = () => {};

	private stopTimer: () => void = () => {};

	/**
	 * @param canceled aborted when the execution is canceled
	 * @param timeoutMs how long nothing may move
	 */
	constructor(
		private readonly canceled: AbortSignal | undefined,
		private readonly timeoutMs: number,
	) {
		this.interrupted = new Promise((resolve) => (this.resolveInterrupted = resolve));
		canceled?.addEventListener('abort', this.cancel);
		this.waitForSilence();
		if (canceled?.aborted) this.cancel();
	}

	/** Aborted when the connection has to be closed. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Something was sent or has arrived, so silence begins again. */
	moved(): void {
		this.movedAt = performance.now();
	}

	/** Interrupts it after this time, even if it keeps moving. */
	endAfter(ms: number): void {
		this.limit = { endsAt: performance.now() + ms, afterMs: ms };
	}

	/**
	 * Waits for something, but not beyond an interruption.
	 * @param work never rejects
	 * @param discard gets what arrives too late
	 */
	async race<Value>(
		work: Promise<Value>,
		discard: (late: Value) => void = () => {},
	): Promise<Value | Interruption> {
		const first = await Promise.race([work, this.interrupted]);
		if (this.interruption) void work.then(discard);
		return this.interruption ?? first;
	}

	interrupt(interruption: Interruption): void {
		if (this.isOver) return;
		this.interruption = interruption;
		this.close();
		this.resolveInterrupted(interruption);
	}

	/** All of the answer has arrived, so the connection may serve other requests. */
	complete(): void {
		this.isOver = true;
		this.stopTimer();
		this.canceled?.removeEventListener('abort', this.cancel);
	}

	/** Ends it, and closes the connection unless the answer is complete. */
	close(): void {
		if (this.isOver) return;
		this.complete();
		this.controller.abort();
	}

	private readonly cancel = (): void => this.interrupt({ kind: 'canceled' });

	private waitForSilence(): void {
		const silentAt = this.movedAt + this.timeoutMs;
		const endsAt = this.limit?.endsAt ?? Infinity;
		this.stopTimer = startTimer(Math.min(silentAt, endsAt) - performance.now(), this.check);
	}

	private readonly check = (): void => {
		const now = performance.now();
		if (this.limit && now >= this.limit.endsAt) {
			this.interrupt({ kind: 'endless', afterMs: this.limit.afterMs });
		} else if (now >= this.movedAt + this.timeoutMs) {
			this.interrupt({ kind: 'silent', forMs: this.timeoutMs });
		} else {
			this.waitForSilence();
		}
	};
}

/** The text of an answer, as far as it arrived, and what kept the rest from arriving. */
export interface ReceivedText {
	text: string;
	failure?: RequestFailure;
}

/**
 * Reads an answer to its end, as UTF-8.
 * @param maxBytes the most that is read, counted after n8n's client has unpacked them
 */
export async function readAnswerText(
	transfer: Transfer,
	body: ByteStream,
	maxBytes: number,
): Promise<ReceivedText> {
	const chunks: Buffer[] = [];
	const failure = await transfer.race(collect(transfer, body, maxBytes, chunks));
	const text = Buffer.concat(chunks).toString('utf8');
	if (!failure) {
		transfer.complete();
		return { text };
	}
	body.destroy();
	return { text, failure };
}

/** @param chunks gets what arrives: it is wanted even if the rest doesn't */
async function collect(
	transfer: Transfer,
	body: AsyncIterable<Buffer>,
	maxBytes: number,
	chunks: Buffer[],
): Promise<RequestFailure | undefined> {
	let bytes = 0;
	try {
		for await (const chunk of body) {
			transfer.moved();
			chunks.push(chunk.subarray(0, maxBytes - bytes));
			bytes += chunk.length;
			if (bytes > maxBytes) {
				transfer.interrupt({ kind: 'tooLarge', maxBytes });
				return transfer.interruption;
			}
		}
		return undefined;
	} catch {
		return { kind: 'broken' };
	}
}
