import type { INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';

import { outputField } from './resultItem';
import { SECRET_HEADER, SECRET_QUERY_PARAMETER } from './trigger/authenticate';

const PORTAL = "the profile's webhook URL in the service's web portal";

// The editor shows lists and links in a notice, and drops all other markup.
const SET_UP = `<ul><li>1. Copy the Production URL from Webhook URLs above.</li><li>2. Put it into ${PORTAL}.</li><li>3. Publish the workflow.</li></ul>The Test URL is for trying out in the editor: it takes one result after each Execute Step.`;

const TRY_OUT = `<b>To try it out</b>, select Execute Step, put the Test URL into ${PORTAL} (of a test profile), and complete a verification or resend an earlier webhook there.<br /><br />`;

const GO_LIVE = `<b>To go live</b>, put the Production URL into ${PORTAL} and publish the workflow.`;

const LIVE =
	'<b>Live results</b> arrive at the Production URL. They show up in the executions list, not in the editor.';

/** What the editor shows beside a trigger that hasn't received anything. */
export const triggerPanel: TriggerPanelDefinition = {
	header: 'Receive the results of hosted verifications',
	executionsHelp: { inactive: TRY_OUT + GO_LIVE, active: TRY_OUT + LIVE },
	activationHint:
		"Live results need the Production URL in the profile's webhook URL and a published workflow.",
};

/** The trigger's parameters. The security parameters take no expressions. */
export const triggerFields: INodeProperties[] = [
	{
		displayName: SET_UP,
		name: 'setUpNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Authentication',
		name: 'authentication',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'None',
				value: 'none',
				description: 'Accept every webhook. Anyone who knows the URL can forge a result.',
			},
			{
				name: 'Signed Custom Data',
				value: 'signedCustomData',
				description:
					'Accept results of links that this credential created with Sign Custom Data. Does not cover the decision.',
			},
			{
				name: 'Webhook Secret',
				value: 'webhookSecret',
				description: `Accept webhooks that carry the credential's webhook secret in the query parameter ${SECRET_QUERY_PARAMETER} or the header ${SECRET_HEADER}`,
			},
		],
		default: 'webhookSecret',
		description: 'How a webhook proves where it comes from. The service itself signs nothing.',
	},
	{
		displayName: `Add ?${SECRET_QUERY_PARAMETER}= and the credential's webhook secret to the end of the URL in the profile. Letters, digits, - and _ need no encoding there.`,
		name: 'webhookSecretNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { authentication: ['webhookSecret'] } },
	},
	{
		displayName:
			'Create the links with the option Sign Custom Data and the same credential. This proves that a result belongs to one of your links. It does not prove the decision: whoever has seen a signed value can send it again with another one.',
		name: 'signedCustomDataNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { authentication: ['signedCustomData'] } },
	},
	{
		displayName:
			'Anyone who knows the URL can forge a result. Choose Webhook Secret before you go live.',
		name: 'noneNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { authentication: ['none'] } },
	},
	outputField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Profiles',
				name: 'profiles',
				type: 'string',
				noDataExpression: true,
				default: '',
				placeholder: 'e.g. kyc-standard, kyc-business',
				description:
					'IDs of the profiles whose results start the workflow, separated by commas. Empty means all.',
			},
		],
	},
];
