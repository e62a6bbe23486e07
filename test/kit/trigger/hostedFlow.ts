import { EventEmitter, on } from 'node:events';
import { text } from 'node:stream/consumers';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { actionNode } from '../engine/action';
import { listen } from '../httpServer';
import type { TestSandbox } from '../sandbox';
import { SECRET } from './callTrigger';

export interface HostedFlow {
	/** Creates a link for each value, lets its end user finish, and gives the webhooks' bodies. */
	complete(customData: string[], scenario?: string): Promise<IDataObject[]>;
}

export const PROFILE = 'sandbox-accept';

/** The way of a hosted link from the action node over the sandbox's page to its webhook. */
export async function hostedFlow(
	sandbox: TestSandbox,
	options: INodeParameters,
): Promise<HostedFlow> {
	const arrivals = new EventEmitter();
	const receiver = await listen((request, response) => {
		void text(request).then((body) => {
			response.end();
			arrivals.emit('webhook', JSON.parse(body));
		});
	});
	await sandbox.setProfile(PROFILE, { webhookUrl: receiver.url });

	async function createLinks(customData: string[]): Promise<string[]> {
		const { outputs, error } = await actionNode(sandbox).run({
			items: customData.map((value) => ({ json: { value } })),
			parameters: {
				operation: 'createHostedLink',
				profile: PROFILE,
				mode: 1,
				customData: '={{ $json.value }}',
				options,
			},
			credential: { webhookSecret: SECRET },
		});
		if (error) throw error;
		return (outputs[0] ?? []).map(({ json }) => String(json.url));
	}

	async function finish(url: string, scenario: string): Promise<IDataObject> {
		const webhooks = on(arrivals, 'webhook') as AsyncIterableIterator<[IDataObject]>;
		await fetch(url, { method: 'POST', body: new URLSearchParams({ scenario }) });
		const arrival = (await webhooks.next()).value as [IDataObject];
		await webhooks.return?.();
		return arrival[0];
	}

	return {
		async complete(customData, scenario = 'accept') {
			const bodies: IDataObject[] = [];
			for (const url of await createLinks(customData)) bodies.push(await finish(url, scenario));
			return bodies;
		},
	};
}
