import { NodeHelpers } from 'n8n-workflow';
import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent runs the node as its tool: what it puts out goes to the agent's model. */
export function isAgentTool(context: IExecuteFunctions): boolean {
	return NodeHelpers.isToolType(context.getNode().type);
}
