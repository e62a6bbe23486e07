import type { NodeError } from '../errors/nodeErrors';
import type { Done } from '../operation';

/** What became of an item. */
export type Outcome =
	| { kind: 'done'; done: Done }
	| { kind: 'failed'; error: NodeError }
	/** Nothing was sent, or it was refused with 429: another item failed first, for example. */
	| { kind: 'givenUp' };
