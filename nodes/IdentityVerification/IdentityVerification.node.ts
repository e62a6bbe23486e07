import { NodeApiError, NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { OPERATIONS } from './actions';
import type { Operation } from './actions';
import {
	operationFields,
	operationSubtitle,
	readParallel,
	readTimeoutMs,
} from './actions/description';
import { outputHint } from './actions/outputHint';
import { isAgentTool } from './agentTool';
import { CREDENTIAL_TYPE, readService } from './credential';
import { inParallel } from './parallel';
import { PERSONAL_FIELDS } from './resultItem';
import { oncePerItem } from './retryMemory';
import { Pause } from './transport';
import type { Connection } from './transport';

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
		const hints = new Set<string>();
		// What fails as a whole fails at each item: n8n hands the input on as success when a node throws
		// and is set to continue.
		const operation = findOperation(this);
		const connection = connect(this, hints);
		const items = await inParallel(
			this.getInputData().length,
			readParallel(this),
			async (itemIndex): Promise<INodeExecutionData> => {
				const outcome = oncePerItem(this, itemIndex, async () => {
					// First of all: else nobody may wait for its failure.
					const connected = await connection;
					if (!operation) throw unknownOperation(this);
					return await operation.execute(connected, itemIndex);
				});
				return await outcome.catch((failure: unknown) => {
					const error = nodeError(this, itemIndex, failure);
					if (!this.continueOnFail()) throw error;
					// n8n puts the message into the item, except for what older agents run.
					const json = isAgentTool(this) ? { error: error.message } : {};
					return { json, error, pairedItem: { item: itemIndex } };
				});
			},
		);
		const summary = operation?.summarize?.(this, items) ?? [];
		this.addExecutionHints(...[...hints].map((text) => outputHint('info', text)), ...summary);
		return [items];
	}
}

async function connect(context: IExecuteFunctions, hints: Set<string>): Promise<Connection> {
	return {
		context,
		hints,
		service: await readService(context),
		pause: new Pause(),
		timeoutMs: readTimeoutMs(context),
	};
}

function findOperation(context: IExecuteFunctions): Operation | undefined {
	const name = context.getNodeParameter('operation', 0);
	return OPERATIONS.find(
		({ option, toolDescription }) =>
			option.value === name && (toolDescription || !isAgentTool(context)),
	);
}

function unknownOperation(context: IExecuteFunctions): NodeOperationError {
	return new NodeOperationError(
		context.getNode(),
		'The node has an operation that does not exist',
		{ description: 'Choose the operation again.' },
	);
}

function nodeError(context: IExecuteFunctions, itemIndex: number, failure: unknown) {
	if (failure instanceof NodeApiError || failure instanceof NodeOperationError) return failure;
	return new NodeOperationError(context.getNode(), failure as Error, { itemIndex });
}
