import type { INode } from 'n8n-workflow';

import { MODES } from '../../nodes/IdentityVerification/contract';
import { outputField, resultItem } from '../../nodes/IdentityVerification/resultItem';
import { mayBeCharged, errorStatus } from '../../nodes/IdentityVerification/transport/errors';
import { credentialFields, labels, optionNames, parameters } from '../kit/editorLabels';
import { fixture } from '../kit/fixtures';
import { received } from '../kit/received';
import { readDocument, tableRows } from '../kit/markdown';
import { callTrigger } from '../kit/trigger/callTrigger';
import type { TriggerCall } from '../kit/trigger/callTrigger';

/** Names that n8n, GitHub and the service's portal show, not this package. */
const FOREIGN_NAMES = [
	'Authentication',
	'Automatically Passthrough Binary Images',
	'Community nodes',
	'Continue',
	'Continue (using error output)',
	'Always Output Data',
	'Execute step',
	'Execute workflow',
	'Identity Verification Tool',
	'Ignore Bots',
	'Import from File',
	'Install',
	'Loop Over Items',
	'On Error',
	'Predefined Credential Type',
	'Production URL',
	'Remove Duplicates',
	'Report a vulnerability',
	'Retry',
	'Retry On Fail',
	'Save',
	'Save execution progress',
	'Security',
	'Settings',
	'Test URL',
];

/** Headwords of lists, which stand in bold as names do. */
const HEADWORDS = ['Default', 'Docker', 'Editor'];

/** Names in the editor have capitals; a sentence in bold has not. */
function isName(text: string): boolean {
	return text.split(' ').every((word) => /^(\W*[A-Z]|and$|of$)/.test(word));
}

const readme = readDocument('README.md');

describe('the README', () => {
	it('has an example with the keys of a Simplified item', () => {
		const examples = readme.blocks.filter(({ language }) => language === 'json');
		expect(examples).toHaveLength(1);
		const body = fixture('scan-aml');
		const item = resultItem(received(body), 'simplified');
		const example = JSON.parse(examples[0]?.content ?? '') as object;
		expect(Object.keys(example)).toEqual(Object.keys(item));
		for (const [key, value] of Object.entries(example)) {
			const [actual] = [item[key]];
			if (value === null || actual === null) continue;
			expect({ [key]: typeof value, list: Array.isArray(value) }).toEqual({
				[key]: typeof actual,
				list: Array.isArray(actual),
			});
		}
	});

	it('lists the fields of the credential', () => {
		expect(tableRows(readme, 'Field', 'What to enter').map(([name]) => name)).toEqual(
			credentialFields.map(({ displayName }) => displayName),
		);
	});

	it('lists the operations', () => {
		expect(
			tableRows(readme, 'Operation')
				.map(([name]) => name)
				.sort(),
		).toEqual(optionNames('operation').sort());
	});

	it('names the credits of the modes', () => {
		const [, , credits = ''] = tableRows(readme, 'Operation').find(
			([name]) => name === 'Create Hosted Link',
		) as string[];
		const [expensive, ...others] = MODES.filter((mode) => mode.credits > 1);
		expect(others).toEqual([]);
		expect(credits).toBe(
			`${expensive?.credits} for the mode ${expensive?.checks}, 1 for each other mode`,
		);
		expect(MODES.filter((mode) => mode.credits !== 1)).toEqual([expensive]);
	});

	it('lists the kinds of output', () => {
		const rows = tableRows(readme, 'Output', 'Holds').map(([name]) => name);
		expect(rows.sort()).toEqual(optionNames(outputField.name).sort());
	});

	it('lists the ways of authentication', () => {
		const rows = tableRows(readme, 'Authentication', 'Accepts').map(([name]) => name);
		expect(rows.sort()).toEqual(optionNames('authentication').sort());
	});

	it('names every option, with its default', () => {
		const options = parameters.flatMap(({ name, options = [] }) =>
			name === 'options' ? options : [],
		);
		for (const option of options) {
			if (!('displayName' in option) || option.displayName === 'Link Version') continue;
			expect(readme.text).toContain(option.displayName);
		}
		const stated = readme.text.matchAll(/\*\*([^*]+)\*\* (?:of [\w ]+)?\((\d+)[^)]*\)/g);
		for (const [, label, value] of stated) {
			const option = parameters.find(({ displayName }) => displayName === label);
			expect({ [String(label)]: option?.default }).toEqual({ [String(label)]: Number(value) });
		}
	});

	it('puts only names in bold and italics that the editor shows', () => {
		const known = [...labels, ...FOREIGN_NAMES, ...HEADWORDS];
		const isQuotation = (text: string) => text.includes('…');
		const strange = [...readme.bold.filter(isName), ...readme.italic].filter(
			(text) => !known.includes(text) && !isQuotation(text),
		);
		expect(strange).toEqual([]);
	});
});

it('says of each status whether it may have been charged', () => {
	const rows = tableRows(readme, 'What comes back', 'Paid?');
	const free = rows.filter(([, paid]) => paid === 'no').map(([statuses = '']) => statuses);
	const statuses = (texts: string[]) => texts.join().match(/\d{3}/g)?.map(Number) ?? [];
	const isFree = (statusCode: number, hasRetryAfter: boolean) =>
		!mayBeCharged(
			errorStatus(
				{ node: {} as INode, itemIndex: 0 },
				{ statusCode, hasRetryAfter, serverErrorsCostNothing: false, text: '' },
			),
		);
	const all = Array.from({ length: 300 }, (_, index) => 300 + index);

	expect(statuses(free).sort()).toEqual(all.filter((status) => isFree(status, true)));
	expect(all.filter((status) => isFree(status, true) && !isFree(status, false))).toEqual([503]);
});

describe("the README's table of answers", () => {
	const rows = tableRows(readme, 'Request', 'Answer');
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
		[/^a body that is multipart, isn't JSON or isn't an object/, async () => await answer([])],
		[/^larger than n8n's limit/, async () => await answer(Buffer.from(' '), untyped)],
		[/can't be read at the moment/, async () => await answer(result, { credentialFailure })],
	])('%s', async (description, actual) => {
		const [, status = ''] = rows.find(([request = '']) => description.test(request)) ?? [];
		expect(Number.parseInt(status)).toBe(await actual());
	});
});
