import type { INodeProperties } from 'n8n-workflow';

export const profileField: INodeProperties = {
	displayName: 'Profile',
	name: 'profile',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. kyc-standard',
	description:
		"The profile ID from the service's web portal. A profile holds the verification settings and the webhook URL.",
};

/** Decides which outputs the node has. */
export const branchField: INodeProperties = {
	displayName: 'Branch on Decision',
	name: 'branchOnDecision',
	type: 'boolean',
	noDataExpression: true,
	default: true,
	description:
		'Whether the node has an output for each decision. Turn this off to get all results from one output, such as for a spreadsheet. Check the connections after each change: the editor keeps them by position.',
	displayOptions: { hide: { '@tool': [true] } },
};

export const additionalRequestFieldsOption: INodeProperties = {
	displayName: 'Additional Request Fields',
	name: 'additionalRequestFields',
	type: 'json',
	default: '{}',
	description:
		'A JSON object of extra request fields that this node has no parameter for. Fields that have a parameter cannot be set here.',
};

/** Belongs to each operation that pays; a tool has the field below instead. */
export const maxPaidRequestsOption: INodeProperties = {
	displayName: 'Max Paid Requests',
	name: 'maxPaidRequests',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: 100,
	description:
		'How many requests this node may pay for in one execution. A run that would need more fails before anything is sent; a node that is set to continue refuses what is above it, unpaid. Each Retry, sub-workflow run, chat message and MCP call is an execution of its own and starts from zero. Unlimited without this option.',
	displayOptions: { hide: { '@tool': [true] } },
};

/**
 * An option can't be set from the start, and a model may call its tool as often as it likes. So a
 * tool has a field.
 */
export const maxPaidRequestsField: INodeProperties = {
	...maxPaidRequestsOption,
	default: 3,
	description:
		'How many requests this tool may pay for in one execution, however often the model calls it. Further calls are refused, unpaid. Each chat message, MCP call, sub-workflow run and Retry is an execution of its own and starts from zero, so this does not limit a conversation.',
	displayOptions: { show: { '@tool': [true] } },
};

export const stopBelowCreditsOption: INodeProperties = {
	displayName: 'Stop Below Credits',
	name: 'stopBelowCredits',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: 10,
	description:
		'Stops sending, for the rest of the execution, as soon as an answer says that fewer credits are left. As many requests as are open at that moment are still paid, and so are calls of a tool that have begun. An answer that does not say how many are left stops nothing. Credits are not checked without this option.',
};

export const sendOtherFileTypesOption: INodeProperties = {
	displayName: 'Send Other File Types',
	name: 'sendOtherFileTypes',
	type: 'boolean',
	default: false,
	description:
		'Whether to also send files that are not images, such as PDF files, and JPEG and PNG files whose end is missing. Use it only if your service accepts them: you may pay for a file that it cannot read.',
};

export const maxParallelOption: INodeProperties = {
	displayName: 'Max Parallel Requests',
	name: 'maxParallelRequests',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 0 },
	default: 0,
	description:
		'The most requests that may be open at the same time. The node sends fewer while the service fails or refuses. Defaults to 0, which is automatic.',
};

export const maxRateLimitWaitOption: INodeProperties = {
	displayName: 'Max Rate Limit Wait (Minutes)',
	name: 'maxRateLimitWait',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: 5,
	description:
		'How long to keep trying while the service answers with status 429 (too many requests) to all requests of this operation with the same profile. Refused requests cost nothing. Defaults to 5.',
};

export const timeoutOption: INodeProperties = {
	displayName: 'Timeout (Seconds)',
	name: 'timeout',
	type: 'number',
	noDataExpression: true,
	typeOptions: { minValue: 1 },
	default: 120,
	description:
		'How long to wait while nothing is sent or arrives. An answer that has begun, and keeps arriving, may take ten times as long; a file, as long as it needs. You may still be charged after a timeout. Defaults to 120.',
};

/** The options that control how every operation sends its requests. */
export const SENDING_OPTIONS = [maxParallelOption, timeoutOption];

/** An option of 0.1.0, with which n8n may have stored a failed execution. */
const REMOVED_OPTION = 'repeatAfterServerErrors';

/** Changing these doesn't change the request or its result, so a Retry still finds what is paid. */
export const UNCOMPARED: readonly string[] = [
	REMOVED_OPTION,
	...[
		branchField,
		maxPaidRequestsOption,
		maxRateLimitWaitOption,
		sendOtherFileTypesOption,
		stopBelowCreditsOption,
		...SENDING_OPTIONS,
	].map(({ name }) => name),
];
