import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { runNode } from '../kit/engine';
import type { Credential, InputItem, NodeRun, RunOptions } from '../kit/engine';
import { picture } from '../kit/data/picture';
import { sandboxCredential, documentItem, failureOf, jsonOf } from '../kit/engine/action';
import { listen } from '../kit/service/httpServer';
import { sha256, useSandbox } from '../kit/service/sandbox';
import { CONTINUE } from '../kit/settings';

// n8n reads the credential for each item: an expression in it can lead each one elsewhere, and
// somebody can edit it meanwhile.

const sandbox = useSandbox();

const STOP = { onError: 'stopWorkflow' } as const;
const oneByOne = { options: { maxParallelRequests: 1 } };

/** A scan that a service got. */
interface Scan {
	key: string;
	image: string;
}

/** A service that notes who sends what. By default, its result names itself. */
async function service(name: string, statusOf: (scan: Scan) => number = () => 200) {
	const scans: Scan[] = [];
	const { url } = await listen((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const { document } = JSON.parse(Buffer.concat(chunks).toString()) as { document: string };
			const image = sha256(Buffer.from(document, 'base64'));
			const scan = { key: String(request.headers['x-api-key']), image };
			scans.push(scan);
			response.writeHead(statusOf(scan), { 'Content-Type': 'application/json' });
			response.end(
				JSON.stringify({ decision: 'review', transactionId: `${name}-${scans.length}` }),
			);
		});
	});
	return { url, scans };
}

async function scan(credential: Credential, options: Partial<RunOptions>): Promise<NodeRun> {
	return await runNode({
		node: IdentityVerification,
		credential,
		...options,
		parameters: {
			operation: 'scan',
			profile: 'sandbox-accept',
			branchOnDecision: false,
			...options.parameters,
		},
	});
}

/** Items of which each has an image, and values that the credential's expressions read. */
function itemsWith(values: { key?: string; url?: string }[]) {
	const images = values.map(() => picture());
	const items = images.map(
		(image, index): InputItem => ({
			...documentItem(image),
			json: values[index],
		}),
	);
	return { items, digests: images.map(sha256) };
}

const transactionsOf = (result: NodeRun) =>
	jsonOf(result).map(({ transactionId }) => transactionId ?? null);

describe('a key that is replaced during a batch', () => {
	const { items } = itemsWith(Array.from({ length: 100 }, () => ({})));

	/** Its key is edited in n8n when the service has got a few scans. */
	async function editedMeanwhile(isOldRefused: boolean) {
		let isEdited = false;
		const { url, scans } = await service('tx', ({ key }) => {
			if (scans.length === 5) {
				credential.values.apiKey = 'new-key';
				isEdited = true;
				return 200;
			}
			return isEdited && isOldRefused && key === 'old-key' ? 401 : 200;
		});
		const credential = sandboxCredential(sandbox, { baseUrl: url, apiKey: 'old-key' });
		return { credential, scansWith: (key: string) => scans.filter((each) => each.key === key) };
	}

	it('is used from the next item that is read with Continue, and no item fails', async () => {
		const { credential, scansWith } = await editedMeanwhile(false);

		const result = await scan(credential, { items, settings: CONTINUE });

		expect(transactionsOf(result)).not.toContain(null);
		expect(scansWith('old-key').length + scansWith('new-key').length).toBe(100);
		// Up to 64 items had been read when it was edited.
		expect(scansWith('new-key').length).toBeGreaterThan(20);
	});

	it('is used from the next item with Continue, though the service refuses the old one', async () => {
		const { credential, scansWith } = await editedMeanwhile(true);

		const result = await scan(credential, { items, settings: CONTINUE, parameters: oneByOne });

		expect(transactionsOf(result)).not.toContain(null);
		expect(scansWith('old-key')).toHaveLength(5);
		expect(scansWith('new-key')).toHaveLength(95);
	});

	it('is used from the next run on where a failure stops the workflow', async () => {
		const { credential, scansWith } = await editedMeanwhile(false);

		const first = await scan(credential, { items, settings: STOP });
		const withOldKey = scansWith('old-key').length;
		const second = await scan(credential, { items: items.slice(0, 3), settings: STOP });

		expect(transactionsOf(first)).toHaveLength(100);
		expect(withOldKey).toBe(100);
		expect(transactionsOf(second)).toHaveLength(3);
		expect(scansWith('new-key')).toHaveLength(3);
	});
});

describe.each([STOP, CONTINUE])('an expression in the credential, with %j', (settings) => {
	it("sends each item to its own account, and never another one's document", async () => {
		const { url, scans } = await service('tx');
		const { items, digests } = itemsWith([{ key: 'a' }, { key: 'b' }, { key: 'a' }, { key: 'c' }]);
		const credential = sandboxCredential(sandbox, { baseUrl: url, apiKey: '={{ $json.key }}' });

		const result = await scan(credential, { items, settings });

		expect(transactionsOf(result)).not.toContain(null);
		const arrived = digests.map((image) => scans.filter((each) => each.image === image));
		expect(arrived.map((each) => each.map(({ key }) => key))).toEqual([['a'], ['b'], ['a'], ['c']]);
	});

	it('sends each item to its own service', async () => {
		const [first, second] = [await service('first'), await service('second')];
		const urls = [first, second, first].map(({ url }) => ({ url }));
		const { items, digests } = itemsWith(urls);
		const credential = sandboxCredential(sandbox, { baseUrl: '={{ $json.url }}' });

		const result = await scan(credential, { items, settings, parameters: oneByOne });

		expect(transactionsOf(result)).toEqual(['first-1', 'second-1', 'first-2']);
		expect(second.scans.map(({ image }) => image)).toEqual([digests[1]]);
	});
});

describe('an item with a wrong Base URL', () => {
	const wrong = 'http://identity.example.com';
	const setUp = async () => {
		const { url, scans } = await service('tx');
		const { items } = itemsWith([{ url }, { url: wrong }, { url }]);
		return {
			items,
			scans,
			credential: sandboxCredential(sandbox, { baseUrl: '={{ $json.url }}' }),
		};
	};

	it('fails by itself with Continue', async () => {
		const { items, scans, credential } = await setUp();

		const result = await scan(credential, { items, settings: CONTINUE });

		expect(jsonOf(result).map(({ error }) => error)).toEqual([
			undefined,
			"The credential's 'Base URL' must begin with https://. Nothing was charged (charge: none) [item 1]",
			undefined,
		]);
		expect(scans).toHaveLength(2);
	});

	it('is found before anything is sent where a failure stops the workflow', async () => {
		const { items, scans, credential } = await setUp();

		const { message, description, itemIndex } = failureOf(await scan(credential, { items }));

		expect(itemIndex).toBe(1);
		expect(message).toMatch(/'Base URL' must begin with https:\/\/\. Nothing was charged/);
		expect(description).toMatch(/correct the 'Base URL'\. 2 other items were not processed/);
		expect(scans).toEqual([]);
	});
});

describe('Retry of a failed execution whose items went to several services', () => {
	/** Leads each item to its own one. */
	const leadingTo = (...urls: string[]) =>
		sandboxCredential(sandbox, { baseUrl: `={{ ${JSON.stringify(urls)}[$itemIndex] }}` });

	/** Items 0 and 1 are paid at a service each, and the service of item 2 has refused it. */
	async function failAtThird() {
		let isRefusing = true;
		const services = [
			await service('first'),
			await service('second'),
			await service('third', () => (isRefusing ? 400 : 200)),
		];
		const [first = '', second = '', third = ''] = services.map(({ url }) => url);
		const { items } = itemsWith([{}, {}, {}]);
		const credential = leadingTo(first, second, third);
		const failed = await scan(credential, { items, parameters: oneByOne });
		isRefusing = false;
		const counts = () => services.map(({ scans }) => scans.length);
		return { failed, first, second, third, counts };
	}

	it('returns what each has been paid for, and sends the rest to its own one', async () => {
		const { failed, first, second, third, counts } = await failAtThird();
		expect(failureOf(failed)).toMatchObject({ itemIndex: 2, status: 'error' });

		const retried = await scan(leadingTo(first, second, third), { retryOf: failed });

		expect(transactionsOf(retried)).toEqual(['first-1', 'second-1', 'third-2']);
		expect(counts()).toEqual([1, 1, 2]);
	});

	it('sends nothing when the address of one that is paid has changed, and names it', async () => {
		const { failed, first, second, third, counts } = await failAtThird();
		const fourth = await service('fourth');

		const moved = await scan(leadingTo(first, fourth.url, third), { retryOf: failed });
		const back = await scan(leadingTo(first, second, third), { retryOf: moved });

		const { itemIndex, message, description } = failureOf(moved);
		expect(itemIndex).toBe(1);
		expect(message).toMatch(
			/paid for \(second-1\), at an address other than the credential's.*\[item 1\]$/,
		);
		expect(description).toContain(`paid for at ${second},`);
		expect(description).toContain(`leads to ${fourth.url}`);
		expect(description).toMatch(
			/1 item is done and paid for \([^)]+\)\..*1 other item was not processed/,
		);
		expect(fourth.scans).toEqual([]);
		expect(transactionsOf(back)).toEqual(['first-1', 'second-1', 'third-2']);
		expect(counts()).toEqual([1, 1, 2]);
	});

	it('refuses that one alone with Continue', async () => {
		const { failed, first, third, counts } = await failAtThird();
		const fourth = await service('fourth');

		const moved = await scan(leadingTo(first, fourth.url, third), {
			retryOf: failed,
			settings: CONTINUE,
		});

		expect(transactionsOf(moved)).toEqual(['first-1', null, 'third-2']);
		expect(jsonOf(moved)[1]?.error).toMatch(/at an address other than the credential's/);
		expect(fourth.scans).toEqual([]);
		expect(counts()).toEqual([1, 1, 2]);
	});
});
