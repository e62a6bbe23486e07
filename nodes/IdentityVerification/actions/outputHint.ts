import type { NodeExecutionHint } from 'n8n-workflow';

/** A text for the node's output panel. */
export function outputHint(message: string): NodeExecutionHint {
	return { message, type: 'info', location: 'outputPane' };
}

/** What the output panel says when an item names what could not be read of an answer. */
export const LEFT_OUT_HINT =
	"Some parts of an answer could not be read and were left out; 'unreadable' in the item lists them.";
