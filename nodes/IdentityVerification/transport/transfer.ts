import type { IExecuteFunctions } from 'n8n-workflow';

import { streamLike } from './body';
import type { ByteStream } from './body';

/** Why a file stopped coming. */
export type Break = 'canceled' | 'silent' | 'tooLarge' | 'broken';

/** A file on its way: counted, given up when it stops coming, and ended with its execution. */
export class Transfer {
	private readonly controller = new AbortController();

	/** Resolves when the connection is closed, whatever for. */
	readonly closed = new Promise<void>((resolve) => {
		this.controller.signal.addEventListener('abort', () => resolve());
	});

	private bytes = 0;

	private hasEnded = false;

	private isSilent = false;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly timeoutMs: number,
		readonly maxBytes: number,
	) {
		// Its own signal takes the listener off again: an execution can have thousands of files.
		const { signal } = this.controller;
		const canceled = context.getExecutionCancelSignal();
		if (canceled?.aborted) this.abort();
		canceled?.addEventListener('abort', () => this.abort(), { signal });
	}

	/** The context to request with: n8n takes the signal of a request from its context alone. */
	get cancelable(): IExecuteFunctions {
		const own = { getExecutionCancelSignal: () => this.controller.signal };
		return Object.assign(Object.create(this.context) as IExecuteFunctions, own);
	}

	/** Closes the connection. */
	abort(): void {
		this.hasEnded = true;
		this.controller.abort();
	}

	/** Hands on what comes. Reading it fails with what `describe` makes of a break. */
	read(body: ByteStream, describe: (reason: Break) => Error): ByteStream {
		this.abortWhenSilent();
		// An error can come before n8n listens for it. It is not lost: reading the stream gives it.
		const stream = streamLike(body, this.counted(body, describe)).on('error', () => {});
		return stream.on('close', () => this.abort());
	}

	private async *counted(body: AsyncIterable<Buffer>, describe: (reason: Break) => Error) {
		try {
			for await (const chunk of body) {
				this.bytes += chunk.length;
				if (this.bytes > this.maxBytes) break;
				yield chunk;
			}
		} catch {
			throw describe(this.reason());
		} finally {
			this.abort();
		}
		if (this.bytes > this.maxBytes) throw describe('tooLarge');
	}

	private reason(): Break {
		if (this.context.getExecutionCancelSignal()?.aborted) return 'canceled';
		return this.isSilent ? 'silent' : 'broken';
	}

	private abortWhenSilent(): void {
		const { bytes } = this;
		AbortSignal.timeout(this.timeoutMs).addEventListener('abort', () => {
			if (this.hasEnded) return;
			if (this.bytes > bytes) return this.abortWhenSilent();
			this.isSilent = true;
			this.abort();
		});
	}
}
