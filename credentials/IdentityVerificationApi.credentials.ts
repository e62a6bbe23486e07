import type {
	IAuthenticate,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { SCAN } from '../nodes/IdentityVerification/contract/endpoints';
import { API_KEY_HEADER } from '../nodes/IdentityVerification/contract/vocabulary';
import {
	CREDENTIAL_TYPE,
	MORE_THAN_HOST_AND_PATH,
	SECRET_RULE,
	SECURE_BASE_URL,
} from '../nodes/IdentityVerification/credential';

const SERVER_ERRORS = Array.from({ length: 100 }, (_, index) => 500 + index);

/**
 * The statuses that fail the test, and what it then says. Any other status means that the key
 * wasn't refused.
 */
const ERRORS = [
	...[401, 403].map((value) => ({
		value,
		message: 'The service refused this API key, or a firewall in front of it refused n8n',
	})),
	...SERVER_ERRORS.map((value) => ({
		value,
		message: `The service was reached but answered with status ${value}. Try again later.`,
	})),
];

export class IdentityVerificationApi implements ICredentialType {
	name = CREDENTIAL_TYPE;

	displayName = 'Identity Verification API';

	icon = {
		light: 'file:../nodes/IdentityVerification/identityVerification.svg',
		dark: 'file:../nodes/IdentityVerification/identityVerification.dark.svg',
	} as const;

	documentationUrl =
		'https://github.com/n8n-nodes-identity-verification/n8n-nodes-identity-verification#credential';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description:
				"From the service's web portal. A successful test means that the service was reached and did not refuse this key. The test costs nothing, and does not check your profiles.",
		},
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.example.com',
			hint: 'Must begin with https://, or http:// for a service on this machine',
			description:
				'Address of the service, without /scan at its end. With https, the API key and images are sent encrypted.',
		},
		{
			displayName: 'File Hosts',
			name: 'fileHosts',
			type: 'string',
			default: '',
			placeholder: 'e.g. files.eu.example.com, files.us.example.com',
			description:
				'Other hosts from which Download Files may fetch images and reports, separated by commas. The nodes send the API key to the host of the base URL and to these hosts only. *.example.com allows all hosts below example.com, without the key.',
		},
		{
			displayName: 'Webhook Secret',
			name: 'webhookSecret',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			hint: SECRET_RULE,
			description:
				'Random text that you choose. The trigger accepts only webhooks that include it, and Wait for Result needs it. This package never sends it to the service.',
		},
		// n8n adds these two to a credential that has neither, and then lets its HTTP Request and GraphQL
		// nodes send the key anywhere (architecture.md#n8n-allowed-domains).
		{
			displayName: 'Allowed HTTP Request Domains',
			name: 'allowedHttpRequestDomains',
			type: 'options',
			options: [
				{
					name: 'All',
					value: 'all',
					description: 'Allow all requests when used in the HTTP Request or GraphQL node',
				},
				{
					name: 'None',
					value: 'none',
					description: 'Block all requests when used in the HTTP Request or GraphQL node',
				},
				{
					name: 'Specific Domains',
					value: 'domains',
					description: 'Restrict requests to specific domains',
				},
			],
			default: 'none',
			description:
				"Where n8n's HTTP Request and GraphQL nodes may send the API key. The nodes of this package don't depend on it.",
		},
		{
			displayName: 'Allowed Domains',
			name: 'allowedDomains',
			type: 'string',
			default: '',
			placeholder: 'e.g. api.example.com, *.eu.example.com',
			description:
				'The hosts, separated by commas. With *.example.com, all below example.com are allowed.',
			displayOptions: { show: { allowedHttpRequestDomains: ['domains'] } },
		},
	];

	// A function, because n8n would evaluate an expression again for each request.
	authenticate: IAuthenticate = async (credentials, request) => ({
		...request,
		headers: { ...request.headers, [API_KEY_HEADER]: credentials.apiKey },
	});

	// The interface documents no free call, and n8n runs this test whenever the credential is opened.
	// A GET where the service documents a POST can't spend a credit, and still shows whether the key
	// is refused.
	test: ICredentialTestRequest = {
		request: {
			method: 'GET',
			baseURL: `={{ ${String(SECURE_BASE_URL)}.test($credentials.baseUrl.trim()) && !${String(MORE_THAN_HOST_AND_PATH)}.test($credentials.baseUrl.trim()) ? $credentials.baseUrl.trim() : 'https://base url must begin with https' }}`,
			url: SCAN.path,
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: { ignore: true, except: ERRORS.map(({ value }) => value) },
		},
		rules: ERRORS.map((properties) => ({ type: 'responseCode', properties })),
	};
}
