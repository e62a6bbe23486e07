import { createHostedLink } from './createHostedLink.operation';
import { downloadFiles } from './downloadFiles.operation';
import type { Operation } from './operation';
import { scan } from './scan.operation';
import { waitForResult } from '../waiting/waitForResult.operation';

export type { Done, ItemOperation, Operation, Task, WaitingOperation } from './operation';

/** All that the action node can do: selector, visibility and dispatch derive from this list. */
export const OPERATIONS: readonly Operation[] = [
	createHostedLink,
	downloadFiles,
	scan,
	waitForResult,
];
