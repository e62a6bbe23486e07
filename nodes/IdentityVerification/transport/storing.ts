import type { IBinaryData } from 'n8n-workflow';

import type { Interruption } from './requestFailure';
import type { Transfer } from './transfer';

/** What became of a file that n8n was asked to store. */
export type StorageEnd =
	| { kind: 'stored'; binary: IBinaryData }
	| { kind: 'failed'; error: unknown }
	| Interruption;

/**
 * Waits for n8n's storage until the transfer is interrupted, because the storage can hang. Never
 * rejects.
 */
export async function storedBy(
	transfer: Transfer,
	work: Promise<IBinaryData>,
): Promise<StorageEnd> {
	return await transfer.race(
		work.then<StorageEnd, StorageEnd>(
			(binary) => ({ kind: 'stored', binary }),
			(error: unknown) => ({ kind: 'failed', error }),
		),
	);
}
