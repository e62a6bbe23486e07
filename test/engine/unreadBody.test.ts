import { readdirSync, readlinkSync } from 'node:fs';

import { sleep } from 'n8n-workflow';

import { listen } from '../support/httpServer';
import { useSandbox } from '../support/sandbox';
import { actionNode, documentItem, picture } from './action';

const { run } = actionNode(useSandbox());

function openImages(): string[] {
	return readdirSync('/proc/self/fd').flatMap((descriptor) => {
		try {
			const target = readlinkSync(`/proc/self/fd/${descriptor}`);
			return target.includes('binary_data') ? [target] : [];
		} catch {
			return [];
		}
	});
}

it('leaves no image open when the service answers before it has read the request', async () => {
	const hasty = await listen((_, response) => response.writeHead(503).end());

	await run({
		items: [documentItem(picture(12_000_000))],
		credential: { baseUrl: hasty.url },
		binaryMode: 'filesystem',
	});

	const deadline = Date.now() + 5_000;
	while (openImages().length > 0 && Date.now() < deadline) await sleep(20);
	expect(openImages()).toEqual([]);
});
