import { decode } from '../contract/decode';
import type { BodyText } from '../contract/decode';
import { answerFailure } from './connectionFailure';
import type { Interruption, RequestFailure } from './requestFailure';
import type { ByteStream } from './stream';
import { startTimer } from './timer';

/**
 * A request and its answer on their way. The transfer is interrupted when nothing moves for too
 * long, or when its execution is canceled. Everything, including n8n's storage and HTTP client, is
 * awaited only through `race`, so an interruption ends every wait and the request's slot is always
 * released.
 */
export class Transfer {
	/** Why the transfer was ended early; undefined unless it was. */
	interruption: Interruption | undefined;

	/** Resolves when the transfer is ended early. */
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

	/** Aborted when the connection must be closed. */
	get signal(): AbortSignal {
		return this.controller.signal;
	}

	/** Call this when something was sent or has arrived: the silence is measured from now on. */
	moved(): void {
		this.movedAt = performance.now();
	}

	/** Limits the remaining time, even if something keeps moving. */
	endAfter(ms: number): void {
		this.limit = { endsAt: performance.now() + ms, afterMs: ms };
	}

	/**
	 * Waits for something, but no longer than until the transfer is interrupted.
	 * @param work never rejects
	 * @param discard receives a value that arrives too late
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

	/** Call this when the whole answer has arrived: the connection may then serve other requests. */
	complete(): void {
		this.isOver = true;
		this.stopTimer();
		this.canceled?.removeEventListener('abort', this.cancel);
	}

	/** Ends the transfer, and closes the connection unless the answer is complete. */
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

/** The part of an answer's text that arrived, and why the rest didn't. */
export interface ReceivedText extends BodyText {
	failure?: RequestFailure;
}

/**
 * Reads an answer to its end.
 * @param maxBytes how much is read at most, counted after n8n's client has unpacked it
 */
export async function readAnswerText(
	transfer: Transfer,
	{ body }: { body: ByteStream },
	maxBytes: number,
): Promise<ReceivedText> {
	const chunks: Buffer[] = [];
	const failure = await transfer.race(collect(transfer, body, maxBytes, chunks));
	const received = decode(Buffer.concat(chunks));
	if (!failure) {
		transfer.complete();
		return received;
	}
	body.destroy();
	return { ...received, failure };
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
	} catch (error: unknown) {
		return answerFailure(error);
	}
}
