import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether an AI agent runs the node as its tool: what it puts out goes to the agent's model. */
export function isAgentTool(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}
