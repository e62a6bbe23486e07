import type { INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';

import { outputField } from '../resultItem';
import { SECRET_HEADER, SECRET_QUERY_PARAMETER } from './authenticate';

const PORTAL = "the profile's webhook URL in the service's web portal";
const TEST_PORTAL = PORTAL.replace('the profile', 'a test profile');

// The editor shows lists and links in a notice, and drops all other markup.
const SET_UP = `To receive results:<ul><li>Copy the Production URL from Webhook URLs above.</li><li>Put it into ${PORTAL}.</li><li>Publish the workflow.</li></ul>The Test URL is for trying out in the editor: it takes one result after each Execute step.`;

const TRY_OUT = `<b>To try it out</b>, select Execute step, put the Test URL into ${TEST_PORTAL}, and complete a verification or resend an earlier webhook there.<br /><br />`;

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
				description: `Accept webhooks with the credential's webhook secret, as ?${SECRET_QUERY_PARAMETER}= or header ${SECRET_HEADER}`,
			},
		],
		default: 'webhookSecret',
		description: 'How a webhook proves where it comes from. The service itself does not sign webhooks.',
	},
	{
		displayName: `Add ?${SECRET_QUERY_PARAMETER}= and the credential's webhook secret to the end of the URL in the profile. Use only letters, digits, - and _ in the secret.`,
		name: 'webhookSecretNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { authentication: ['webhookSecret'] } },
	},
	{
		displayName:
			'Create the links with the option Sign Custom Data and the same credential. This proves that a result belongs to one of your links. It does not prove the decision: whoever has seen a signed value can send it again with another decision.',
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
					"IDs of the profiles whose results start the workflow, separated by commas. Leave it empty for all. This list doesn't stop a result without a profile ID.",
			},
		],
	},
];
