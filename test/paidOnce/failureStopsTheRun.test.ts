import type { INodeParameters } from 'n8n-workflow';

import { breaksTogether } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { actionRunner, documentItems, failureOf, jsonOf } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { CONTINUE } from '../kit/settings';

const sandbox = useSandbox();
const { run, start } = actionRunner(sandbox);

const LINK = { operation: 'createHostedLink', mode: 1 };
/** Where Mode is an expression, n8n asks for the fields of every mode. */
const FIELDS = { contractSign: '={{ $json.none }}', referenceFaceBase64: 'x' };
const oneByOne = { options: { maxParallelRequests: 1 } };

describe('before the first request of a batch that would stop', () => {
	const twenty = () => documentItems(20).items;
	const expectNothingSent = async (options: ActionOptions) => {
		// One by one: otherwise the failed item could end the others before they are sent.
		const parameters = { ...oneByOne, ...options.parameters };
		const result = await run({ ...options, parameters });
		expect(result.status).toBe('error');
		expect(await sandbox.requests()).toEqual([]);
		return failureOf(result);
	};

	it('a missing file is found', async () => {
		const items = twenty();
		items[11] = { json: { name: 'no file' } };

		const { itemIndex, message, description } = await expectNothingSent({ items });

		expect(itemIndex).toBe(11);
		expect(message).toMatch(/\[item 11\]$/);
		expect(description).toMatch(/19 other items were not processed in this execution\.$/);
	});

	it('every item that cannot be sent is named', async () => {
		const items = twenty();
		for (const index of [3, 11, 17]) items[index] = {};

		const { itemIndex, description } = await expectNothingSent({ items });

		expect(itemIndex).toBe(3);
		expect(description).toMatch(
			/Items 11 and 17 failed, too, and were not charged in this execution\./,
		);
		expect(description).toMatch(/17 other items were not processed in this execution\.$/);
	});

	it.each<[string, INodeParameters]>([
		['an empty profile', { profile: '={{ $json.n === 11 ? "" : "sandbox-accept" }}' }],
		[
			'text that is not JSON',
			{ options: { additionalRequestFields: '={{ $json.n === 11 ? "{" : "{}" }}' } },
		],
		[
			'an expression that fails',
			{ profile: '={{ $json.n === 11 ? $("Nowhere").item.json.x : "p" }}' },
		],
		['a mode without its template', { ...LINK, mode: '={{ $json.n === 11 ? 3 : 1 }}', ...FIELDS }],
		[
			'a binary field for the QR code that cannot be read',
			{ ...LINK, options: { qrCodeBinaryField: '={{ $json.n === 11 ? $("No").x : "qr" }}' } },
		],
	])('%s is found', async (_, parameters) => {
		const items = twenty().map((item, n) => ({ ...item, json: { n } }));

		expect((await expectNothingSent({ items, parameters })).itemIndex).toBe(11);
	});

	it('an Operation that does not exist is found, whatever On Error says', async () => {
		const parameters = { operation: 'fly' };
		const { message, description } = await expectNothingSent({ parameters });
		const settings = CONTINUE;
		const [item] = jsonOf(await run({ parameters, settings }));

		expect(message).toMatch(
			/^'Operation' is not one of createHostedLink, downloadFiles, scan, waitForResult\. Nothing was charged/,
		);
		expect(item?.error).toBe(message);
		expect(description).toBe('Choose the operation again.');
	});

	it('an Output that does not exist is found', async () => {
		const { message } = await expectNothingSent({ parameters: { output: 'everything' } });

		expect(message).toMatch(
			/'Output' is not one of decisionAndFields, decisionOnly, raw, simplified\./,
		);
	});

	it('nothing is checked ahead where a failure does not stop the workflow', async () => {
		const items = twenty();
		items[11] = {};

		const result = await run({ items, settings: CONTINUE });

		expect(await sandbox.billed()).toBe(19);
		expect(jsonOf(result).filter(({ error }) => error)).toHaveLength(1);
	});
});

it('Continue bills nothing for an item with a parameter that cannot be read', async () => {
	const options = { qrCodeBinaryField: '={{ $("Nowhere").item.json.x }}' };
	const settings = CONTINUE;

	const result = await run({ items: [{}, {}], parameters: { ...LINK, options }, settings });

	expect(jsonOf(result)).toEqual(
		[0, 1].map((item) => ({
			error: `Referenced node doesn't exist. Nothing was charged (charge: none) [item ${item}]`,
		})),
	);
	expect(await sandbox.requests()).toEqual([]);
});

describe('after a failure that stops the workflow', () => {
	it('an item that waits out a pause is not sent', async () => {
		const { items, images } = documentItems(2);
		await sandbox.faultOn(images[0], { kind: 'tooManyRequests', retryAfter: 1, times: 'always' });
		await sandbox.hold(images[1]);
		await sandbox.refuse(images[1]);

		const running = await start({ items });
		await sandbox.untilAnswered(429);
		await sandbox.release();
		const result = await running.result;
		// Its request waits out the pause behind whatever the first execution might still send.
		await run();

		expect(failureOf(result)).toMatchObject({ status: 'error', itemIndex: 1 });
		expect(failureOf(result).description).toMatch(
			/1 other item was not processed in this execution\.$/,
		);
		expect((await sandbox.statuses()).sort()).toEqual([200, 400, 429]);
		expect(await sandbox.billed()).toBe(1);
	});

	it('a stopped execution sends none of its waiting items', async () => {
		await sandbox.fault({ on: 'scan', kind: 'tooManyRequests', retryAfter: 1, times: 2 });
		const running = await start({ items: documentItems(2).items });
		await sandbox.untilAnswered(429, 2);
		running.cancel();
		const sent = (await sandbox.requests()).length;

		const result = await running.result;
		expect(result.status).toBe('canceled');
		expect(failureOf(result).message).toMatch(
			/^The execution was canceled before the service accepted this request\. Nothing was charged/,
		);
		const { description } = failureOf(result);
		expect(description).toMatch(/^Run the item again if you still need its result\./);
		await run();
		expect(await sandbox.requests()).toHaveLength(sent + 1);
	});
});

describe('the error says', () => {
	it('how many items are paid, and that Retry does not pay for them again', async () => {
		const { items, images } = documentItems(4);
		await sandbox.refuse(images[2]);

		const { message, description } = failureOf(await run({ items, parameters: oneByOne }));

		expect(message).toMatch(/^The service answered with status 400.*\[item 2\]$/);
		expect(description).toMatch(
			/2 items are done and paid for \([^)]+\)\. .*Retry .* without paying again\./,
		);
		expect(description).toMatch(/1 other item was not processed in this execution\.$/);
	});

	it('which transactions are paid, when Retry cannot bring them back to a sub-workflow', async () => {
		const { items, images } = documentItems(3);
		await sandbox.refuse(images[2]);

		const result = await run({ mode: 'integrated', items, parameters: oneByOne });

		const ids = (await sandbox.state()).requests.length;
		expect(ids).toBe(3);
		const { description } = failureOf(result);
		expect(description).toMatch(
			/2 items are done and paid for \([\w-]{8,64}, [\w-]{8,64}\)\. A retry does not find the results/,
		);
	});

	it('every item that may have been charged', async () => {
		const { items, images } = documentItems(4);
		for (const index of [0, 2, 3]) await sandbox.hold(images[index]);
		await sandbox.faultOn(images[0], { kind: 'truncated' });
		await sandbox.faultOn(images[2], { kind: 'broken' });
		await sandbox.faultOn(images[3], { kind: 'truncated' });

		const running = await start({ items });
		await sandbox.untilAnswered(200);
		await sandbox.untilArrived(4);
		await sandbox.release();
		const { message, description } = failureOf(await running.result);

		expect(message).toMatch(
			/may have been processed and charged for "document\.jpg" \(charge: possible\) \[item 0\]$/,
		);
		expect(description).toMatch(
			/Items 2 and 3 may have been charged, too\. Look them up as well\./,
		);
		expect(description).toMatch(/1 item is done and paid for \([^)]+\)\./);
		expect(description).not.toMatch(/not charged/);
	});

	it('no more than there is to say, of one item', async () => {
		const { items, images } = documentItems(1);
		await sandbox.refuse(images[0]);

		expect(failureOf(await run({ items })).description).toBe(
			'Check the profile and the other parameters of this item.',
		);
	});

	it('which other item failed before anything was sent', async () => {
		expect(failureOf(await run({ items: [{}, {}] })).description).toBe(
			"Check 'Document Image Binary Field', and where the item comes from. Item 1 failed, too, and was not charged in this execution.",
		);
	});

	it('which other item may have been charged, and nothing of paid or open ones', async () => {
		const { items } = documentItems(2);
		const { url: baseUrl } = await breaksTogether(2);

		expect(failureOf(await run({ items, credential: { baseUrl } })).description).toMatch(
			/'Retry On Fail' won't send it again; .*, and may pay again\. Item 1 may have been charged, too\. Look it up as well\.$/,
		);
	});

	it.each([
		[51, /Items 2, 3, .*, 50 and 51 failed, too, and were not charged in this execution\./],
		[60, /Items 2, 3, .*, 51 and 9 others failed, too, and were not charged in this execution\./],
	])('no more than 50 items that failed: %i', async (length, named) => {
		const items = documentItems(1).items.concat(Array.from({ length }, () => ({})));

		expect(failureOf(await run({ items })).description).toMatch(named);
	});

	it('first what may have been charged, also when another failure came earlier', async () => {
		const { items, images } = documentItems(2);
		await sandbox.hold(images[0]);
		await sandbox.refuse(images[0]);
		await sandbox.hold(images[1]);
		await sandbox.faultOn(images[1], { kind: 'truncated' });

		const running = await start({ items });
		await sandbox.untilArrived(2);
		await sandbox.release(images[0]);
		await sandbox.untilAnswered(400);
		await sandbox.release(images[1]);
		const { message, description, itemIndex } = failureOf(await running.result);

		expect(itemIndex).toBe(1);
		expect(message).toMatch(
			/may have been processed and charged for "document\.jpg" \(charge: possible\) \[item 1\]$/,
		);
		expect(description).toMatch(/Item 0 failed, too, and was not charged in this execution\./);
	});
});
