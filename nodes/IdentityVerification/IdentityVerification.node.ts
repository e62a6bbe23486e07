import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { OPERATIONS } from './actions';
import type { Operation } from './actions';
import { operationFields, operationOutputs, operationSubtitle } from './actions/description';
import { branchField } from './actions/parameters';
import { isAgentTool } from './agentTool';
import { failedItem, runBatch } from './run/batch';
import { notFixed } from './run/errors';
import { CREDENTIAL_TYPE } from './credential';
import { routeAll } from './outputs';
import { PERSONAL_FIELDS } from './resultItem';

export class IdentityVerification implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Identity Verification',
		name: 'identityVerification',
		icon: { light: 'file:identityVerification.svg', dark: 'file:identityVerification.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle(OPERATIONS),
		description: 'Scan identity documents and create hosted verification links',
		defaults: { name: 'Identity Verification' },
		inputs: [NodeConnectionTypes.Main],
		outputs: operationOutputs(OPERATIONS),
		usableAsTool: true,
		credentials: [{ name: CREDENTIAL_TYPE, required: true }],
		sensitiveOutputFields: PERSONAL_FIELDS,
		properties: operationFields(OPERATIONS),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await run(this).catch((error: unknown) => {
			if (!this.continueOnFail()) throw error;
			return [this.getInputData().map((_, index) => failedItem(this, index, error))];
		});
	}
}

async function run(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const operation = findOperation(context);
	const isBranched = operation?.branches && isBranching(context);
	const putOut = isBranched ? routeAll : (items: INodeExecutionData[]) => [items];
	return await runBatch(context, operation, !context.continueOnFail(), putOut);
}

/** By the parameter as entered: n8n finds the node's outputs without its items, so an expression can't decide. */
function findOperation(context: IExecuteFunctions): Operation | undefined {
	const name = context.getNode().parameters.operation;
	return OPERATIONS.find(
		({ choice, toolDescription }) =>
			choice.value === name && (toolDescription || !isAgentTool(context)),
	);
}

/**
 * Whether the node has an output for each decision.
 * @throws NodeOperationError when an expression is to decide that
 */
function isBranching(context: IExecuteFunctions): boolean {
	// n8n hands an agent what its tool puts on the first output.
	if (isAgentTool(context)) return false;
	const value = context.getNode().parameters[branchField.name];
	if (typeof value === 'string') throw notFixed(context, branchField);
	return value !== false;
}
