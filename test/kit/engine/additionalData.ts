import { ExecutionLifecycleHooks } from 'n8n-core';
import type {
	IDataObject,
	IWorkflowExecuteAdditionalData,
	Workflow,
	WorkflowExecuteMode,
} from 'n8n-workflow';

import { TestCredentialsHelper } from './credentials';
import type { Credential } from './workflow';

/** Where the n8n of a test would be reached. */
const N8N_URL = 'http://127.0.0.1:5678/';

interface AdditionalDataOptions {
	workflow: Workflow;
	mode: WorkflowExecuteMode;
	executionId?: string;
	credential?: Credential;
	/** What `$vars` gives. */
	variables?: IDataObject;
}

/** What n8n hands to an execution from outside: credentials, addresses, hooks. */
export function createAdditionalData({
	workflow,
	mode,
	executionId,
	credential,
	variables = {},
}: AdditionalDataOptions): IWorkflowExecuteAdditionalData {
	const data: Partial<IWorkflowExecuteAdditionalData> = {
		executionId,
		currentNodeExecutionIndex: 0,
		credentialsHelper: new TestCredentialsHelper(credential),
		hooks: new ExecutionLifecycleHooks(mode, executionId ?? '', {
			id: workflow.id,
			name: workflow.name ?? '',
			active: false,
			activeVersionId: null,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			nodes: Object.values(workflow.nodes),
			connections: workflow.connectionsBySourceNode,
		}),
		instanceBaseUrl: N8N_URL,
		restApiUrl: `${N8N_URL}rest`,
		webhookBaseUrl: `${N8N_URL}webhook`,
		webhookTestBaseUrl: `${N8N_URL}webhook-test`,
		webhookWaitingBaseUrl: `${N8N_URL}webhook-waiting`,
		formWaitingBaseUrl: `${N8N_URL}form-waiting`,
		variables,
	};
	return data as IWorkflowExecuteAdditionalData;
}
