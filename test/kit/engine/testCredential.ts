import { ExecuteContext, RoutingNode } from 'n8n-core';
import type {
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	INodeCredentialTestResult,
	INodeType,
} from 'n8n-workflow';
import { createEmptyRunExecutionData, NodeConnectionTypes } from 'n8n-workflow';

import { createAdditionalData } from './additionalData';
import { createWorkflow } from './workflow';

interface RequestFailure {
	message: string;
	cause?: { code?: string; response?: { status: number; statusText?: string } };
}

/** Runs the declarative test of a credential and words its outcome as n8n's editor shows it. */
export async function testCredential(
	type: ICredentialType,
	values: ICredentialDataDecryptedObject,
): Promise<INodeCredentialTestResult> {
	const { test } = type;
	if (!test) throw new Error(`The credential type "${type.name}" has no test`);
	try {
		await sendTestRequest(type, test, values);
		return { status: 'OK', message: 'Connection successful!' };
	} catch (error) {
		return { status: 'Error', message: failureMessage(error as RequestFailure, test) };
	}
}

// n8n tests a credential with a node of one property that carries the test's request.
async function sendTestRequest(
	type: ICredentialType,
	{ request }: ICredentialTestRequest,
	values: ICredentialDataDecryptedObject,
): Promise<void> {
	const credential = { type, values };
	const nodeType: INodeType = {
		description: {
			displayName: 'Credential Test',
			name: 'credentialTest',
			group: [],
			version: 1,
			description: '',
			defaults: {},
			inputs: [NodeConnectionTypes.Main],
			outputs: [NodeConnectionTypes.Main],
			credentials: [{ name: type.name, required: true }],
			properties: [
				{ displayName: 'Temp', name: 'temp', type: 'string', default: '', routing: { request } },
			],
		},
	};
	const { workflow, node } = createWorkflow({ node: nodeType, credential });
	const additionalData = createAdditionalData({ workflow, mode: 'internal', credential });
	const data = await additionalData.credentialsHelper.getDecrypted(
		additionalData,
		{ id: null, name: '' },
		type.name,
		'internal',
	);
	const context = new ExecuteContext(
		workflow,
		node,
		additionalData,
		'internal',
		createEmptyRunExecutionData(),
		0,
		[],
		{ main: [[{ json: {} }]] },
		{ node, data: {}, source: null },
		[],
	);
	await workflow.expression.acquireIsolate();
	try {
		const tested = { id: 'credential', name: 'Credential of the test', type: type.name, data };
		await new RoutingNode(context, nodeType, tested).runNode();
	} finally {
		await workflow.expression.releaseIsolate();
	}
}

// The same order as in n8n's CredentialsTester.
function failureMessage(error: RequestFailure, { rules = [] }: ICredentialTestRequest): string {
	const response = error.cause?.response;
	if (!response) return error.cause?.code ?? error.message;
	const rule = rules.find(
		({ type, properties }) => type === 'responseCode' && properties.value === response.status,
	);
	return (
		rule?.properties.message ??
		(response.statusText || `Received HTTP status code: ${response.status}`)
	);
}
