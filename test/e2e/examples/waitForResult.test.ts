import { hostedLink } from '../../../nodes/IdentityVerification/contract/endpoints';
import { itemsOf, outputsTaken } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { readExample } from '../../kit/examples/example';
import { openStack } from '../../kit/n8n/handle';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { useService } from '../../kit/n8n/service';
import { untilStatus } from '../../kit/n8n/waitingFlow';

const SECRET = 'secret-of-those-who-wait';
const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';
const WAIT = 'Wait for the Result';

/** In place of the seven days. */
const SECONDS = {
	'"waitUpTo": 7': '"waitUpTo": 0.5',
	'"waitUnit": "days"': '"waitUnit": "minutes"',
};

const { api } = openStack();
const service = useService(api, SECRET);
const { sandbox } = service;

let workflow: LiveWorkflow;

/** Publishes the example, and sends the results of the profile to it. */
async function start(replace: Record<string, string> = {}): Promise<void> {
	const credentials = { identityVerificationApi: service.credentialId };
	const file = await readExample('wait-for-the-result/workflow.json', { credentials, replace });
	workflow = await LiveWorkflow.start(api, file);
	await workflow.newExecutions();
	await sandbox.setProfile(PROFILE, { webhookUrl: `${workflow.url(TRIGGER)}?secret=${SECRET}` });
}

/** Starts an execution, and returns its link when it waits. */
async function wanted(applicantId: string): Promise<string> {
	const { body } = await workflow.send('Verification Wanted', { applicantId });
	const { url } = hostedLink.parse({ qrCode: null, ...(JSON.parse(body) as object) });
	const [newest] = await workflow.list();
	await untilStatus(api, String(newest?.id), 'waiting');
	return url;
}

/** The steps that ran behind the node that waits or behind the trigger, with their items. */
function stepsOf(execution: Execution): Record<string, unknown> {
	const steps = Object.keys(execution.data).filter((name) => STEPS.includes(name));
	return Object.fromEntries(steps.map((name) => [name, itemsOf(execution, name)]));
}

const STEPS = ['Send a Reminder', 'Ask the Team', 'Open the Account', 'Decline', 'Tell the Team'];

describe('a link that is finished in time', () => {
	beforeEach(async () => await start());

	it.each([
		['accept', 'Open the Account', { decision: 'accept', transactionId: expect.any(String) }],
		[
			'lowConfidence',
			'Ask the Team',
			{ decision: 'review', warnings: 'LOW_TEXT_CONFIDENCE, MISSING_EYE_COLOR' },
		],
		['aml', 'Decline', { decision: 'reject', warnings: 'AML_SANCTION' }],
	])('resumes the workflow with the result of %s', async (scenario, step, item) => {
		await sandbox.finishLink(await wanted('applicant-1'), scenario);

		const execution = await workflow.newExecution();
		expect(execution.status).toBe('success');
		expect(stepsOf(execution)).toEqual({ [step]: [{ applicantId: 'applicant-1', ...item }] });
	});

	it('tells the team when its result is sent again', async () => {
		const webhook = await sandbox.finishLink(await wanted('applicant-4'), 'accept');
		await workflow.newExecution();

		await sandbox.resend(webhook);

		expect(stepsOf(await workflow.newExecution())).toEqual({
			'Tell the Team': [
				{
					decision: 'accept',
					customData: 'applicant-4',
					notDelivered: expect.stringMatching(/gone on without it/),
				},
			],
		});
	});
});

it('a link that nobody finishes leads to a reminder, and its late result to the team', async () => {
	await start(SECONDS);
	const url = await wanted('applicant-5');

	const execution = await workflow.newExecution();
	expect(outputsTaken(execution, WAIT)).toEqual([0]);
	expect(stepsOf(execution)).toEqual({
		'Send a Reminder': [{ applicantId: 'applicant-5', url }],
	});

	await sandbox.finishLink(url, 'aml');
	expect(stepsOf(await workflow.newExecution())).toEqual({
		'Tell the Team': [
			{
				decision: 'reject',
				customData: 'applicant-5',
				notDelivered: expect.stringMatching(/gone on without it/),
			},
		],
	});
});
