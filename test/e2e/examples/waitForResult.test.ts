import { hostedLink } from '../../../nodes/IdentityVerification/contract/endpoints';
import { itemsOf, outputsTaken } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { untilStatus } from '../../kit/n8n/waitingFlow';
import { useExample } from '../../kit/examples/useExample';

const WAIT = 'Wait for the Result';

/** In place of the seven days. */
const SECONDS = {
	'"waitUpTo": 7': '"waitUpTo": 0.5',
	'"waitUnit": "days"': '"waitUnit": "minutes"',
};

const example = useExample('wait-for-the-result');
const { api, sandbox } = example;

/** Starts an execution, and returns its link when it waits. */
async function wanted(applicantId: string): Promise<string> {
	const { body } = await example.workflow.send('Verification Wanted', { applicantId });
	const { url } = hostedLink.parse({ qrCode: null, ...(JSON.parse(body) as object) });
	const [newest] = await example.workflow.list();
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
	beforeEach(async () => await example.start());

	it.each([
		['accept', 'Open the Account', { decision: 'accept', transactionId: expect.any(String) }],
		[
			'lowConfidence',
			'Ask the Team',
			{ decision: 'review', warnings: 'LOW_TEXT_CONFIDENCE, MISSING_EYE_COLOR' },
		],
		['aml', 'Decline', { decision: 'reject', warnings: 'AML_SANCTION' }],
	])('resumes the workflow with %s, and finds earlier items', async (scenario, step, item) => {
		await sandbox.finishLink(await wanted('applicant-1'), scenario);

		const execution = await example.workflow.newExecution();
		expect(execution.status).toBe('success');
		expect(stepsOf(execution)).toEqual({ [step]: [{ applicantId: 'applicant-1', ...item }] });
	});

	it('tells the team when its result is sent again', async () => {
		const webhook = await sandbox.finishLink(await wanted('applicant-4'), 'accept');
		await example.workflow.newExecution();

		await sandbox.resend(webhook);

		expect(stepsOf(await example.workflow.newExecution())).toEqual({
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
	await example.start(SECONDS);
	const url = await wanted('applicant-5');

	const execution = await example.workflow.newExecution();
	expect(outputsTaken(execution, WAIT)).toEqual([0]);
	expect(stepsOf(execution)).toEqual({
		'Send a Reminder': [{ applicantId: 'applicant-5', url }],
	});

	await sandbox.finishLink(url, 'aml');
	expect(stepsOf(await example.workflow.newExecution())).toEqual({
		'Tell the Team': [
			{
				decision: 'reject',
				customData: 'applicant-5',
				notDelivered: expect.stringMatching(/gone on without it/),
			},
		],
	});
});
