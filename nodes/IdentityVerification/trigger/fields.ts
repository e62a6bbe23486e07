import type { INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';

import { documentFieldsField, outputField } from '../result/outputField';
import { SECRET_HEADER, SECRET_QUERY_PARAMETER } from './authenticate';

const WITH_SECRET = `?${SECRET_QUERY_PARAMETER}=YOUR_WEBHOOK_SECRET`;

// The editor shows lists and links in a notice, and drops all other markup.
const SET_UP = `To receive results:<ul><li>Copy the Production URL from Webhook URLs above.</li><li>Append ${WITH_SECRET} to it, with the webhook secret of the credential. If 'Authentication' is None, leave this out.</li><li>Enter it as the profile's webhook URL in the service's web portal. A profile has one webhook URL, so only one trigger gets its results.</li><li>Publish the workflow.</li></ul>To try it out, use the Test URL, also with ?secret= and the secret: each Execute step receives one result.`;

/** What the editor shows when the workflow is published. */
export const activationMessage =
	'Results start this workflow once you have completed the steps listed in the trigger.';

/** What the editor shows next to a trigger that hasn't received anything. */
export const triggerPanel: TriggerPanelDefinition = {
	header: 'Receive the results of hosted verifications',
	executionsHelp:
		'<b>To try it out</b>, select Execute step and have the portal send a result to the Test URL.<br /><br /><b>Live results</b> show up in the executions list, not in the editor. If none arrives, compare the URL in the profile with the steps on the right.',
	activationHint: 'Live results need a published workflow.',
};

/** The trigger's parameters. Those that matter for security accept no expressions. */
export const triggerFields: INodeProperties[] = [
	{ displayName: SET_UP, name: 'setUpNotice', type: 'notice', default: '' },
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
				name: 'Webhook Secret',
				value: 'webhookSecret',
				description: `Accept webhooks with the credential's webhook secret, as ?${SECRET_QUERY_PARAMETER}= or header ${SECRET_HEADER}`,
			},
		],
		default: 'webhookSecret',
		description:
			'How a webhook proves where it comes from. The service itself does not sign webhooks.',
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
	documentFieldsField,
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Other Events',
				name: 'otherEvents',
				type: 'boolean',
				noDataExpression: true,
				default: false,
				description:
					'Whether other events than a completed verification start the workflow, too, such as one that a changed decision could send. They always go to Review, without a decision. Works only with the authentication Webhook Secret.',
			},
			{
				displayName: 'Profiles',
				name: 'profiles',
				type: 'string',
				noDataExpression: true,
				default: '',
				placeholder: 'e.g. kyc-standard, kyc-business',
				description:
					'IDs of the profiles whose results start the workflow, separated by commas. Leave it empty for all. A result without a profile ID bypasses this list.',
			},
		],
	},
];
