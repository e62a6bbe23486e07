import type { IDataObject } from 'n8n-workflow';

import { actionNode } from '../engine/action';
import { listen } from '../httpServer';
import { Receiver } from '../receiver';
import type { TestSandbox } from '../sandbox';

export interface HostedFlow {
	/** Creates a link for each value, lets its end user finish, and gives the webhooks' bodies. */
	complete(customData: string[], scenario?: string): Promise<IDataObject[]>;
}

const PROFILE = 'sandbox-accept';

/** The way of a hosted link from the action node over the sandbox's page to its webhook. */
export async function hostedFlow(sandbox: TestSandbox): Promise<HostedFlow> {
	const receiver = new Receiver();
	const { url: webhookUrl } = await listen(receiver.listener);
	await sandbox.setProfile(PROFILE, { webhookUrl });

	async function createLinks(customData: string[]): Promise<string[]> {
		const { outputs, error } = await actionNode(sandbox).run({
			items: customData.map((value) => ({ json: { value } })),
			parameters: {
				operation: 'createHostedLink',
				profile: PROFILE,
				mode: 1,
				customData: '={{ $json.value }}',
			},
		});
		if (error) throw error;
		return (outputs[0] ?? []).map(({ json }) => String(json.url));
	}

	return {
		async complete(customData, scenario = 'accept') {
			for (const url of await createLinks(customData)) await sandbox.finishLink(url, scenario);
			return receiver.take().map(({ body }) => body as IDataObject);
		},
	};
}
