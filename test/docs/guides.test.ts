import type { IExecuteFunctions, INodeProperties, INodeTypeDescription } from 'n8n-workflow';

import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { IdentityVerificationTrigger } from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { resultItem } from '../../nodes/IdentityVerification/result/resultItem';
import { errorStatus } from '../../nodes/IdentityVerification/errors/requestErrors';
import { mayBeCharged } from '../../nodes/IdentityVerification/errors/charge';
import { SENTENCES } from '../../nodes/IdentityVerification/delivery/notDelivered';
import { credentialFields, optionNames, parameters } from '../kit/n8n/editorLabels';
import { fixture } from '../kit/data/fixtures';
import { readResult } from '../kit/data/readResult';
import { documents, readDocument, tableRows } from '../kit/markdown';
import { callTrigger } from '../kit/engine/callTrigger';
import type { TriggerCall } from '../kit/engine/callTrigger';

/** For those who change the package, with other names in them. */
const FOR_DEVELOPERS = ['docs/architecture.md', 'docs/interface.md', 'docs/verification.md'];

const guides = documents().filter(
	({ file }) =>
		file === 'README.md' || (file.startsWith('docs/') && !FOR_DEVELOPERS.includes(file)),
);

it('each guide is linked from the README', () => {
	const { links } = readDocument('README.md');
	const linked = links.map((link) => link.replace(/#.*/, ''));
	const missing = guides.filter(({ file }) => file !== 'README.md' && !linked.includes(file));
	expect(missing.map(({ file }) => file)).toEqual([]);
});

describe('the credential in docs/reference.md', () => {
	it('lists the fields of the credential', () => {
		const rows = tableRows(readDocument('docs/reference.md'), 'Field', 'What to enter');
		expect(rows.map(([name]) => name)).toEqual(
			credentialFields.map(({ displayName }) => displayName),
		);
	});
});

describe('the results in docs/reference.md', () => {
	const result = readDocument('docs/reference.md');
	const examples = result.blocks.filter(({ content }) => content.includes('"decision"'));
	const example = JSON.parse(examples[0]?.content ?? '') as object;
	const body = fixture('webhook-reject-aml');

	it('has an example with the keys of a Simplified item', () => {
		expect(examples).toHaveLength(1);
		const { json: item } = resultItem(readResult(body), 'simplified');
		expect(Object.keys(example)).toEqual(Object.keys(item));
		expect(Object.keys(Object(example).details)).toEqual(Object.keys(Object(item).details));
		for (const [key, value] of Object.entries(example)) {
			const [actual] = [item[key]];
			if (value === null || actual === null) continue;
			expect({ [key]: typeof value, list: Array.isArray(value) }).toEqual({
				[key]: typeof actual,
				list: Array.isArray(actual),
			});
		}
	});

	it('says which of the keys a Decision Only item has', () => {
		const keys = Object.keys(resultItem(readResult(body), 'decisionOnly').json);
		const [, list = ''] = /Decision Only holds (.*?), so/.exec(result.text) ?? [];
		expect(list.match(/\w{4,}/g)).toEqual(keys);
	});
});

describe('every option, with its default,', () => {
	const optionsOf = ({ description }: { description: INodeTypeDescription }) =>
		description.properties
			.filter(({ name }) => name === 'options')
			.flatMap(({ displayOptions, options = [] }) => {
				const operation = String(displayOptions?.show?.operation?.[0]);
				return options.flatMap((entry) => ('type' in entry ? [{ operation, entry }] : []));
			});
	const operations = new Map(
		parameters
			.flatMap(({ name, options = [] }) => (name === 'operation' ? options : []))
			.flatMap((choice) => ('value' in choice ? [[String(choice.value), choice.name]] : [])) as [
			string,
			string,
		][],
	);

	/** As the tables say it. */
	const stated = ({ default: value }: INodeProperties) => {
		if (typeof value === 'boolean') return value ? 'on' : 'off';
		return typeof value === 'number' ? String(value) : 'none';
	};

	it('and its operations are in docs/reference.md', () => {
		const rows = tableRows(readDocument('docs/reference.md'), 'Option', 'Operations', 'Default');
		const written = rows.flatMap(([label, names = '', value]) =>
			names.split(', ').map((name) => [label, name, value].join()),
		);
		const found = optionsOf(new IdentityVerification()).map(({ operation, entry }) =>
			[entry.displayName, operations.get(operation), stated(entry)].join(),
		);
		expect(written.sort()).toEqual(found.sort());
	});

	it('is in docs/trigger.md for the trigger', () => {
		const rows = tableRows(readDocument('docs/trigger.md'), 'Option', 'Default');
		const written = rows.map(([label, value]) => [label, value].join());
		const found = optionsOf(new IdentityVerificationTrigger()).map(({ entry }) =>
			[entry.displayName, stated(entry)].join(),
		);
		expect(written.sort()).toEqual(found.sort());
	});
});

describe('docs/errors-and-charges.md', () => {
	it('says of each status whether it may have been charged', () => {
		const rows = tableRows(readDocument('docs/errors-and-charges.md'), 'What comes back', 'Paid?');
		const free = rows.filter(([, paid]) => paid === 'no').map(([statuses = '']) => statuses);
		const statuses = (texts: string[]) => texts.join().match(/\d{3}/g)?.map(Number) ?? [];
		const context = { getNode: () => ({}) } as IExecuteFunctions;
		const isFree = (statusCode: number, hasRetryAfter: boolean) =>
			!mayBeCharged(
				errorStatus(
					{ context, itemIndex: 0 },
					{ statusCode, headers: hasRetryAfter ? { 'retry-after': '1' } : {} },
					{ subject: 'the request', text: '' },
				),
			);
		const all = Array.from({ length: 300 }, (_, index) => 300 + index);

		expect(statuses(free).sort()).toEqual(all.filter((status) => isFree(status, true)));
		expect(all.filter((status) => isFree(status, true) && !isFree(status, false))).toEqual([503]);
	});
});

describe('docs/trigger.md', () => {
	const trigger = readDocument('docs/trigger.md');

	it('lists every authentication', () => {
		const rows = tableRows(trigger, 'Authentication', 'Accepts').map(([name]) => name);
		expect(rows.sort()).toEqual(optionNames('authentication').sort());
	});

	const rows = tableRows(trigger, 'Request', 'Answer');
	const result = fixture('webhook-accept', { profileId: 'kyc' });
	const answer = async (body: unknown, call: TriggerCall = {}) => {
		const parameters = { options: { profiles: 'kyc' } };
		return (await callTrigger({ body, parameters, ...call })).status;
	};
	const untyped = { headers: { 'content-type': undefined }, limit: 0 };
	const credentialFailure = new Error('The database is away');

	it.each([
		[/^a result, authenticated/, async () => await answer(result)],
		[/decision that isn't documented/, async () => await answer({ ...result, decision: 'maybe' })],
		[/^another event/, async () => await answer({ ...result, event: 'another' })],
		[/profile that isn't listed/, async () => await answer({ ...result, profileId: 'another' })],
		[/^no or wrong authentication/, async () => await answer(result, { query: {} })],
		[/^a result without a profile ID/, async () => await answer({ ...result, profileId: null })],
		[/^a body that isn't JSON or isn't an object/, async () => await answer([])],
		[/^larger than n8n's limit/, async () => await answer(Buffer.from(' '), untyped)],
		[/while the credential can't be read/, async () => await answer(result, { credentialFailure })],
	])('answers as its table says: %s', async (description, actual) => {
		const [, status = ''] = rows.find(([request = '']) => description.test(request)) ?? [];
		expect(Number.parseInt(status)).toBe(await actual());
	});
});

it('docs/wait-for-result.md explains all that notDelivered can say, and nothing else', () => {
	const inItems = Object.entries(SENTENCES).filter(([why]) => why !== 'starting');
	const sentences = inItems.map(([, text]) => text.replace('{status}.', '…'));
	const rows = tableRows(readDocument('docs/wait-for-result.md'), 'notDelivered', 'What to do');

	expect(rows.map(([quoted]) => quoted).sort()).toEqual(sentences.sort());
});
