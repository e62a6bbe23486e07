import type { INodeProperties, TriggerPanelDefinition } from 'n8n-workflow';

import { outputField } from '../resultItem';
import { SECRET_HEADER, SECRET_QUERY_PARAMETER } from './receive';

const PORTAL = "the profile's webhook URL in the service's web portal";
const TEST_PORTAL = PORTAL.replace('the profile', 'a test profile');
const WITH_SECRET = `?${SECRET_QUERY_PARAMETER}= and the credential's webhook secret`;

// The editor shows lists and links in a notice, and drops all other markup.
function setUp(isSecretNeeded: boolean): string {
	const secret = isSecretNeeded
		? `<li>Add ${WITH_SECRET} to its end: without them, the trigger refuses every result.</li>`
		: '';
	const testUrl = isSecretNeeded
		? `The Test URL needs ?${SECRET_QUERY_PARAMETER}= too. It`
		: 'The Test URL';
	return `To receive results:<ul><li>Copy the Production URL from Webhook URLs above.</li>${secret}<li>Put it into ${PORTAL}.</li><li>Publish the workflow.</li></ul>${testUrl} is for trying out in the editor, and takes one result after each Execute step.`;
}

const TRY_OUT = `<b>To try it out</b>, select Execute step, put the Test URL into ${TEST_PORTAL}, and complete a verification or resend an earlier webhook there.<br /><br />`;

const GO_LIVE = `<b>To go live</b>, put the Production URL into ${PORTAL} and publish the workflow.<br /><br />`;

const LIVE =
	'<b>Live results</b> arrive at the Production URL. They show up in the executions list, not in the editor.<br /><br />';

const NOTHING_COMES = `<b>If nothing arrives</b>, check the end of the URL in the profile: with 'Authentication' set to Webhook Secret, both URLs need ${WITH_SECRET}.`;

const END_OF_URL = `With 'Authentication' set to Webhook Secret, the URL has to end with ${WITH_SECRET}.`;

/** What the editor shows when the workflow is published. */
export const activationMessage = `Results start this workflow once the Production URL of this trigger is in ${PORTAL}. ${END_OF_URL}`;

/** What the editor shows beside a trigger that hasn't received anything. */
export const triggerPanel: TriggerPanelDefinition = {
	header: 'Receive the results of hosted verifications',
	executionsHelp: {
		inactive: TRY_OUT + GO_LIVE + NOTHING_COMES,
		active: TRY_OUT + LIVE + NOTHING_COMES,
	},
	activationHint: `Live results need a published workflow, and the Production URL in the profile's webhook URL. ${END_OF_URL}`,
};

/** The trigger's parameters. The security parameters take no expressions. */
export const triggerFields: INodeProperties[] = [
	{
		displayName: setUp(true),
		name: 'setUpWithSecretNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { authentication: ['webhookSecret'] } },
	},
	{
		displayName: setUp(false),
		name: 'setUpNotice',
		type: 'notice',
		default: '',
		displayOptions: { hide: { authentication: ['webhookSecret'] } },
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
