import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	IHookFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { OPERATIONS } from './actions';
import type { Operation, WaitingOperation } from './actions';
import { operationFields, operationOutputs, operationSubtitle } from './actions/description';
import { branchField } from './actions/parameters';
import { isAgentTool } from './runtime';
import { failedItem, runBatch } from './run/batch';
import { finalError, notFixed } from './run/errors';
import { CREDENTIAL_TYPE } from './credential';
import { routeAll } from './outputs';
import { PERSONAL_FIELDS } from './resultItem';
import { RESULT_PATH } from './waiting/delivery';
import { resumedWith } from './waiting/execution';
import { resume } from './waiting/resume';
import { UNAVAILABLE, refuse } from './webhookAnswer';

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
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: '',
				path: RESULT_PATH,
				isFullPath: true,
				restartWebhook: true,
			},
		],
		builderHint: {
			searchHint:
				'Scan Document has the outputs Review, Accept and Reject, in this order, and Wait for Result has No Result, Review, Accept and Reject: connect them directly, without a Switch or an IF. To send a person a link and go on with the result in the same execution, use Create Hosted Link, then send its url, then Wait for Result. Every scan and every link uses paid credits.',
			relatedNodes: [
				{
					nodeType: 'n8n-nodes-identity-verification.identityVerificationTrigger',
					relationHint:
						'Receives the results of hosted links, also those that Wait for Result waits for',
				},
			],
		},
		waitingNodeTooltip: 'Waiting for the end user to complete the verification',
		sensitiveOutputFields: PERSONAL_FIELDS,
		properties: operationFields(OPERATIONS),
	};

	// n8n registers its address itself while an execution waits, and calls none of these.
	webhookMethods = {
		default: {
			async checkExists(this: IHookFunctions): Promise<boolean> {
				return true;
			},
			async create(this: IHookFunctions): Promise<boolean> {
				return true;
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return true;
			},
		},
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return await run(this).catch((error: unknown) => {
			if (!this.continueOnFail()) throw finalError(this, error);
			return [this.getInputData().map((_, index) => failedItem(this, index, error))];
		});
	}

	/** Takes the result of a hosted link while the execution waits for it. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resume(this).catch(() => refuse(this, 503, UNAVAILABLE));
	}
}

async function run(context: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const operation = findOperation(context);
	if (operation?.kind === 'waiting') return await waitOnce(context, operation);
	const isBranched = operation?.branches && isBranching(context);
	const route = isBranched ? routeAll : (items: INodeExecutionData[]) => [items];
	return await runBatch(context, operation, !context.continueOnFail(), route);
}

/** After a crash, Retry with the workflow as it is saved now runs a node again that has got its result. */
async function waitOnce(
	context: IExecuteFunctions,
	operation: WaitingOperation,
): Promise<INodeExecutionData[][]> {
	const result = resumedWith(context);
	if (!result) await operation.wait(context);
	return result ?? [];
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
