import { credentialFields } from '../kit/n8n/editorLabels';
import { activate } from '../kit/engine';
import { triggerSetup } from '../kit/engine/callTrigger';

it('the hint says what publishing the trigger asks for, in the same words', async () => {
	const { hint = '' } = credentialFields.find(({ name }) => name === 'webhookSecret') ?? {};
	const setup = triggerSetup({ credential: { webhookSecret: 'short' } });

	expect(hint).toMatch(/^20 or more random characters/);
	await expect(activate(setup)).rejects.toThrow(`'Webhook Secret' of ${hint}`);
});
