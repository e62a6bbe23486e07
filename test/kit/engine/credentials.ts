import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	ICredentialsExpressionResolveValues,
	IExecuteData,
	IHttpRequestOptions,
	INodeProperties,
	INodeParameters,
	IRequestOptionsSimplified,
	IWorkflowExecuteAdditionalData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { ICredentialsHelper, NodeHelpers } from 'n8n-workflow';

import type { Credential } from './workflow';

/** Hands out the credential of a test; authenticates a request with it as n8n does. */
export class TestCredentialsHelper extends ICredentialsHelper {
	private reads = 0;

	constructor(private readonly credential?: Credential) {
		super();
	}

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	getCredentialsProperties(type: string): INodeProperties[] {
		return this.find(type).type.properties;
	}

	/**
	 * Values with the defaults of the fields that aren't set, and of expressions for the item that
	 * n8n names.
	 */
	async getDecrypted(
		_additionalData: IWorkflowExecuteAdditionalData,
		_credentials: unknown,
		name: string,
		mode: WorkflowExecuteMode,
		executeData?: IExecuteData,
		_raw?: boolean,
		resolve?: ICredentialsExpressionResolveValues,
	): Promise<ICredentialDataDecryptedObject> {
		const { type, values, failure, failsAfter = 0 } = this.find(name);
		if (failure && this.reads++ >= failsAfter) throw failure;
		const entered =
			NodeHelpers.getNodeParameters(
				type.properties,
				values as INodeParameters,
				true,
				false,
				null,
				null,
			) ?? {};
		const resolved = resolve?.workflow.expression.getParameterValue(
			entered,
			resolve.runExecutionData,
			resolve.runIndex,
			resolve.itemIndex,
			resolve.node.name,
			resolve.connectionInputData,
			mode,
			{},
			executeData,
			false,
			entered,
		);
		return (resolved ?? entered) as ICredentialDataDecryptedObject;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		name: string,
		requestOptions: IHttpRequestOptions | IRequestOptionsSimplified,
	): Promise<IHttpRequestOptions> {
		const request = requestOptions as IHttpRequestOptions;
		const { authenticate } = this.find(name).type;
		return typeof authenticate === 'function' ? await authenticate(credentials, request) : request;
	}

	async preAuthentication(): Promise<undefined> {
		return undefined;
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('Stored credentials are no part of the harness');
	}

	async updateCredentials(): Promise<void> {
		throw new Error('Stored credentials are no part of the harness');
	}

	async updateCredentialsOauthTokenData(): Promise<void> {
		throw new Error('Stored credentials are no part of the harness');
	}

	private find(name: string): Credential {
		if (this.credential?.type.name === name) return this.credential;
		throw new Error(`The test set no credential of type "${name}"`);
	}
}
