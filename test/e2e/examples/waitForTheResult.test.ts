import { hostedLink } from '../../../dev/stack/link';
import { outputsTaken } from '../../../dev/stack/execution';
import { useExample } from './support/useExample';
import { untilStatus } from '../../kit/n8n/waitingFlow';

const example = useExample('wait-for-the-result');
const { lastSteps, sandbox, takeSucceeded } = example;

/** Starts an execution, and returns its link when it waits. */
async function wanted(applicantId: string): Promise<string> {
	const { body } = await example.sendAsBackend('Verification Wanted', { applicantId });
	const { url } = hostedLink.parse(JSON.parse(body));
	const [newest] = await example.workflow.list();
	await untilStatus(example.api, String(newest?.id), 'waiting');
	return url;
}

/** What a result that comes too late leads to. */
const toTheTeam = (customData: string, decision: string) => ({
	'Tell the Team': [
		{ decision, customData, notDelivered: expect.stringMatching(/continued without it/) },
	],
});

it.each([
	['accept', 'Open the Account', { transactionId: expect.any(String) }],
	['lowConfidence', 'Ask the Team', { warnings: 'LOW_TEXT_CONFIDENCE, MISSING_EYE_COLOR' }],
	['aml', 'Decline', { warnings: 'AML_SANCTION' }],
])('resumes the workflow with %s, and finds earlier items', async (scenario, step, item) => {
	await example.start();
	const { decision, ...webhook } = await sandbox.finishLink(await wanted('applicant-1'), scenario);

	expect(lastSteps(await takeSucceeded())).toEqual({
		[step]: [{ applicantId: 'applicant-1', decision, ...item }],
	});

	await sandbox.resend({ decision, ...webhook });
	expect(lastSteps(await takeSucceeded())).toEqual(toTheTeam('applicant-1', decision));
});

it('leads to a reminder without a result, and a late result to the team', async () => {
	// In place of the seven days.
	await example.start({
		'"waitUpTo": 7': '"waitUpTo": 0.5',
		'"waitUnit": "days"': '"waitUnit": "minutes"',
	});
	const url = await wanted('applicant-5');

	const execution = await takeSucceeded();
	expect(outputsTaken(execution, 'Wait for the Result')).toEqual([0]);
	expect(lastSteps(execution)).toEqual({
		'Send a Reminder': [{ applicantId: 'applicant-5', url }],
	});

	await sandbox.finishLink(url, 'aml');
	expect(lastSteps(await takeSucceeded())).toEqual(toTheTeam('applicant-5', 'reject'));
});
