import type { NodeExecutionHint } from 'n8n-workflow';

/** A text for the node's output panel. */
export function outputHint(type: 'info' | 'warning', message: string): NodeExecutionHint {
	return { message, type, location: 'outputPane' };
}
