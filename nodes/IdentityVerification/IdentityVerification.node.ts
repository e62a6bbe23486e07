import { NodeConnectionTypes } from 'n8n-workflow';
import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import { RESULT_WEBHOOK, resume } from './actions/waitForResult/resume';
import { waitForResult } from './actions/waitForResult/waitForResult.operation';
import { WAITING_HINT } from './actions/waitForResult/waitingOutputs';
import { failedItems } from './batch/failedItem';
import { runBatch } from './batch/runBatch';
import { errorOfRun } from './batch/runError';
import { CREDENTIAL_TYPE } from './credential';
import { WRONG_SETTING, nodeError } from './errors/nodeErrors';
import type { ErrorContent } from './errors/nodeErrors';
import type { NodeRun } from './item';
import { runsOnEngine2 } from './n8n/thisN8n';
import type { Operation } from './operation';
import {
	OPERATIONS,
	RESOURCE,
	operationFields,
	operationOutputs,
	operationSubtitle,
} from './operations';
import { branchField } from './parameters/sharedFields';
import { PINNED_DATA_HINT } from './result/outputs';
import { refuseFailed } from './webhookAnswer';

/**
 * What n8n's AI builders read about the node as an agent's tool. n8n lists all operations to them,
 * even those that a tool doesn't have.
 */
const TOOL_HINT =
	"A tool has only two operations. Scan Document (scan) returns the decision about an image that an expression names: a model can't pass one. Create Hosted Link (createHostedLink) returns a url for one person, and no result. Every call costs credits.";

/**
 * Engine 2.0 keeps nothing for a Retry, which the errors of a paid request promise. It stores only
 * the message of an error, so that says what to do.
 */
const NO_ENGINE_2: ErrorContent = {
	message:
		"n8n's Engine 2.0 is not supported: remove 'engineType' from the settings of the workflow",
	advice: '',
	charge: 'none',
	cause: WRONG_SETTING,
};

export class IdentityVerification implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Identity Verification',
		name: 'identityVerification',
		icon: { light: 'file:identityVerification.svg', dark: 'file:identityVerification.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle(),
		description: 'Scan identity documents and create hosted verification links',
		defaults: { name: 'Identity Verification' },
		inputs: [NodeConnectionTypes.Main],
		outputs: operationOutputs(),
		usableAsTool: { replacements: { builderHint: { searchHint: TOOL_HINT } } },
		credentials: [{ name: CREDENTIAL_TYPE, required: true }],
		webhooks: [RESULT_WEBHOOK],
		builderHint: {
			searchHint: `Scan Document has the outputs Review, Accept and Reject, in this order, and Wait for Result has No Result before them: connect them without a Switch or an IF. ${PINNED_DATA_HINT} To continue with the result in the same execution, use Create Hosted Link, send its url, then Wait for Result. Scans and links cost credits. Set their limits, such as maxPaidRequests, in the object options, never as an expression: n8n silently drops a limit that is outside of it, and all options if they are an expression, a text or a list.`,
		},
		waitingNodeTooltip: 'Waiting for the end user to complete the verification',
		hints: [WAITING_HINT],
		properties: operationFields(),
	};

	// n8n itself registers the webhook while an execution waits, and never calls these.
	webhookMethods = {
		default: {
			checkExists: async () => true,
			create: async () => true,
			delete: async () => true,
		},
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		// As a tool, the node has another type (architecture.md#n8n-tool-type).
		const nodeRun = { context: this, isAgentTool: this.getNode().type.endsWith('Tool') };
		return await runOperation(nodeRun).catch((failed: unknown) => {
			if (!this.continueOnFail()) throw errorOfRun(nodeRun, failed);
			// When a node that is set to continue throws, n8n passes its input on as if it had succeeded
			// (architecture.md#why). So the error is put into each item instead.
			return [failedItems(nodeRun, failed)];
		});
	}

	/** Takes the result of a hosted link while the execution waits for it. */
	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await resume(this).catch((failed: unknown) => refuseFailed(this, failed));
	}
}

async function runOperation(nodeRun: NodeRun): Promise<INodeExecutionData[][]> {
	const { context, isAgentTool } = nodeRun;
	if (runsOnEngine2(context)) throw nodeError(nodeRun, NO_ENGINE_2);
	const { kind, branches } = operationOf(nodeRun);
	if (kind === 'wait') return await waitForResult(context);
	// n8n hands an agent only the first output of its tool.
	const isBranched = branches === true && !isAgentTool && isBranching(context);
	return await runBatch(nodeRun, kind, isBranched);
}

/** @throws NodeOperationError when the node, or an agent's tool, has no such operation */
function operationOf(nodeRun: NodeRun): Operation {
	const { context, isAgentTool } = nodeRun;
	// Read as entered: n8n determines the outputs without looking at items, so an expression couldn't
	// choose the operation.
	const { resource = RESOURCE, operation: name } = context.getNode().parameters;
	if (resource !== RESOURCE) {
		const message = `'Resource' is not one of ${RESOURCE}`;
		const advice = 'Correct it.';
		throw nodeError(nodeRun, { message, advice, charge: 'none', cause: WRONG_SETTING });
	}
	const offered = OPERATIONS.filter(({ toolDescription }) => !isAgentTool || toolDescription);
	const operation = offered.find(({ choice }) => choice.value === name);
	if (operation) return operation;
	const subject = isAgentTool ? "The 'Operation' of an agent's tool" : "'Operation'";
	const message = `${subject} is not one of ${offered.map(({ choice }) => choice.value).join(', ')}`;
	const advice = 'Choose the operation again.';
	throw nodeError(nodeRun, { message, advice, charge: 'none', cause: WRONG_SETTING });
}

/** @throws NodeOperationError when the value is an expression */
function isBranching(context: IExecuteFunctions): boolean {
	const value = context.getNode().parameters[branchField.name];
	if (typeof value === 'string') {
		const message = `'${branchField.displayName}' cannot be an expression`;
		const advice = 'Turn it on or off.';
		throw nodeError({ context }, { message, advice, charge: 'none', cause: WRONG_SETTING });
	}
	return value !== false;
}
