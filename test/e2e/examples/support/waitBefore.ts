import { waitNode } from '../../../kit/n8n/workflow';

/** What to replace in an example, so that it waits before a step. */
export const waitBefore = (step: string, seconds: number): Record<string, string> => ({
	[`"node": "${step}"`]: '"node": "Meanwhile"',
	'"connections": {': `"connections": { "Meanwhile": { "main": [[{ "node": "${step}", "type": "main", "index": 0 }]] },`,
	'"nodes": [': `"nodes": [${JSON.stringify(waitNode('Meanwhile', seconds))},`,
});

/** The same for its groups of nodes: n8n refuses one that has two entries. */
export const WITHOUT_GROUPS = { '"nodeGroups": [': '"nodeGroups": [], "formerGroups": [' };
