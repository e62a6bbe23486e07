import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { OPERATIONS } from './actions';
import type { Operation } from './actions';
import { operationFields, operationSubtitle } from './actions/description';
import { isAgentTool } from './agentTool';
import { runBatch } from './run/batch';
import { CREDENTIAL_TYPE } from './credential';
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
		outputs: [NodeConnectionTypes.Main],
		usableAsTool: true,
		credentials: [{ name: CREDENTIAL_TYPE, required: true }],
		sensitiveOutputFields: PERSONAL_FIELDS,
		properties: operationFields(OPERATIONS),
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await runBatch(this, findOperation(this), !this.continueOnFail())];
	}
}

function findOperation(context: IExecuteFunctions): Operation | undefined {
	const name = context.getNodeParameter('operation', 0);
	return OPERATIONS.find(
		({ choice, toolDescription }) =>
			choice.value === name && (toolDescription || !isAgentTool(context)),
	);
}
