import type {
	ICredentialDataDecryptedObject,
	ICredentials,
	IHttpRequestOptions,
	INodeProperties,
	IRequestOptionsSimplified,
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

	/** Values with the defaults of the fields that aren't set. */
	async getDecrypted(
		_additionalData: unknown,
		_credentials: unknown,
		name: string,
	): Promise<ICredentialDataDecryptedObject> {
		const { type, values, failure, failsAfter = 0 } = this.find(name);
		if (failure && this.reads++ >= failsAfter) throw failure;
		return (NodeHelpers.getNodeParameters(
			type.properties,
			values as Parameters<typeof NodeHelpers.getNodeParameters>[1],
			true,
			false,
			null,
			null,
		) ?? {}) as ICredentialDataDecryptedObject;
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
