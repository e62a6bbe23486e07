import { readdirSync, readlinkSync } from 'node:fs';

import { poll } from '../../dev/stack/poll';
import { listen } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner, documentItem, failureOf } from '../kit/engine/action';

const { run } = actionRunner(useSandbox());

function openImages(): string[] {
	return readdirSync('/proc/self/fd').flatMap((descriptor) => {
		try {
			const target = readlinkSync(`/proc/self/fd/${descriptor}`);
			// Linux adds this once the file is deleted.
			const path = target.replace(/ \(deleted\)$/, '');
			return path.includes('binary_data') ? [path] : [];
		} catch {
			return [];
		}
	});
}

/** @param before those of other test files, which may have run in the same process */
async function expectNoOthersOpen(before: string[]): Promise<void> {
	const others = () => openImages().filter((path) => !before.includes(path));
	const options = { what: 'the images to be closed', timeoutMs: 20_000, intervalMs: 20 };
	// The expectation names those that are still open.
	await poll(async () => others().length === 0 || undefined, options).catch(() => undefined);
	expect(others()).toEqual([]);
}

it('leaves no image open when the service answers before it has read the request', async () => {
	const before = openImages();
	let during: string[] = [];
	const hasty = await listen((_, response) => {
		during = openImages();
		response.writeHead(503).end();
	});

	await run({
		items: [documentItem(picture(12_000_000))],
		credential: { baseUrl: hasty.url },
		binaryMode: 'filesystem',
	});

	// Otherwise, `openImages` doesn't see them.
	expect(during.filter((path) => !before.includes(path))).toHaveLength(1);
	await expectNoOthersOpen(before);
});

it('leaves no file open whose first bytes are of no image', async () => {
	const before = openImages();
	const result = await run({
		items: [documentItem(Buffer.alloc(3_000_000, '%PDF-'))],
		binaryMode: 'filesystem',
	});

	expect(failureOf(result).message).toContain('is a PDF file');
	await expectNoOthersOpen(before);
});
