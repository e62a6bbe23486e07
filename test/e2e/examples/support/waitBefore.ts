import { waitNode } from '../../../kit/n8n/workflow';

/** What to replace in an example with groups of nodes, so that it waits before a step. */
export const waitBefore = (step: string, seconds: number): Record<string, string> => ({
	[`"node": "${step}"`]: '"node": "Meanwhile"',
	'"connections": {': `"connections": { "Meanwhile": { "main": [[{ "node": "${step}", "type": "main", "index": 0 }]] },`,
	// n8n refuses a group with two entries.
	'"nodeGroups": [': '"nodeGroups": [], "formerGroups": [',
	'"nodes": [': `"nodes": [${JSON.stringify(waitNode('Meanwhile', seconds))},`,
});
