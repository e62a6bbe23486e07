import { hostedLink } from '../../nodes/IdentityVerification/contract';
import { itemsOf } from '../../dev/stack/execution';
import { fixture } from '../kit/fixtures';
import { NOT_AUTHENTICATED } from '../kit/refusals';
import { openStack } from '../kit/n8n/handle';
import type { SentWebhook } from '../../dev/sandbox/client';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { useService } from '../kit/n8n/service';
import { actionNode, triggerNode, webhookNode, workflowOf } from '../kit/n8n/workflow';

const PROFILE = 'sandbox-onboarding';
const TRIGGER = 'Verification Completed';
const LINK = 'Create Signed Link';

const stack = openStack();
const { api } = stack;
const service = useService(stack, 'a-secret-for-signing');
const { sandbox } = service;

let receiver: LiveWorkflow;
let sender: LiveWorkflow;

beforeAll(async () => {
	const { credentialId } = service;
	const parameters = { authentication: 'signedCustomData' };
	receiver = await LiveWorkflow.start(
		api,
		workflowOf([triggerNode(TRIGGER, { credentialId, parameters })]),
	);
	sender = await LiveWorkflow.start(api, senderOf(credentialId));
});

beforeEach(async () => {
	await sandbox.setProfile(PROFILE, { webhookUrl: receiver.url(TRIGGER) });
});

function senderOf(credentialId: string) {
	const link = actionNode(LINK, {
		credentialId,
		parameters: {
			operation: 'createHostedLink',
			profile: PROFILE,
			mode: 0,
			customData: '={{ $json.body.customData }}',
			options: { signCustomData: true },
		},
	});
	return workflowOf([webhookNode('Start'), link], [['Start', LINK]]);
}

/** Creates a link in n8n and finishes it on the hosted page. */
async function verify(workflow: LiveWorkflow, customData: string): Promise<SentWebhook> {
	const { body } = await workflow.send('Start', { customData });
	const { url } = hostedLink.parse(JSON.parse(body));
	return await sandbox.finishLink(url, 'accept');
}

describe('a link with signed custom data', () => {
	it.each([
		['plain', 'applicant-4711'],
		['empty', ''],
		['of quotes and braces', ' spaces, "quotes", {"json": [1]} and \\ '],
		['that looks signed', 'value.v1.of-the-caller.v1.'],
		['of any characters', 'Ünïcödé 🪪 漢字 \u0000 \u202e end'],
		['of lines', 'line 1\nline 2\r\n'],
		['of 2,000 characters', 'x'.repeat(2_000)],
	])("hands the caller's own value on: one %s", async (_, value) => {
		const { attempts, customData } = await verify(sender, value);

		expect(customData.startsWith(`${value}.v1.`)).toBe(true);
		expect(attempts).toMatchObject([{ status: 200 }]);
		const execution = await receiver.newExecution();
		expect(itemsOf(execution, TRIGGER)).toEqual([
			expect.objectContaining({ customData: value, decision: 'accept' }),
		]);
	});

	it('of a credential with another secret is refused', async () => {
		const credentialId = await service.saveCredential({ webhookSecret: 'another-secret' });
		const other = await LiveWorkflow.start(api, senderOf(credentialId));

		const { attempts } = await verify(other, 'applicant-4711');

		expect(attempts).toMatchObject([{ status: 401 }]);
		expect(await receiver.newExecutions()).toEqual([]);
	});
});

describe('a webhook with a signature', () => {
	const signedBody = async () => {
		const { customData } = await verify(sender, 'applicant-4711');
		await receiver.newExecution();
		return fixture('webhook-accept', { customData, profileId: PROFILE });
	};

	it('starts the workflow as it was signed', async () => {
		expect(await receiver.send(TRIGGER, await signedBody())).toMatchObject({ status: 200 });
		expect(await receiver.newExecutions(1)).toHaveLength(1);
	});

	it('is refused and starts nothing when anything of it was changed', async () => {
		const body = await signedBody();
		const signed = String(body.customData);
		const signature = signed.slice(signed.lastIndexOf('.') + 1);
		const changes = [
			{ customData: signed.replace('4711', '4712') },
			{ customData: ` ${signed}` },
			{ customData: 'applicant-4711' },
			{ customData: signature },
			{ customData: signed.slice(0, -1) },
			{ customData: `${signed}A` },
			{ customData: signed.replace(signature, signature.split('').reverse().join('')) },
			{ customData: signed.replace('.v1.', '.v2.') },
			{ customData: `${signed.slice(0, -signature.length)}${'A'.repeat(signature.length)}` },
			{ customData: undefined },
			{ customData: null },
			{ customData: [signed] },
			{ profileId: 'sandbox-aml' },
			{ profileId: undefined },
		];
		for (const change of changes) {
			const answer = await receiver.send(TRIGGER, { ...body, ...change });
			expect({ change, ...answer }).toMatchObject({ change, status: 401 });
			expect(answer.body).toBe(JSON.stringify({ error: NOT_AUTHENTICATED }));
		}
		expect(await receiver.newExecutions()).toEqual([]);
	});
});
