import type { INodeProperties } from 'n8n-workflow';

import actionCodex from '../../nodes/IdentityVerification/IdentityVerification.node.json';
import triggerCodex from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node.json';
import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { UNCOMPARED } from '../../nodes/IdentityVerification/parameters/sharedFields';
import { IdentityVerificationTrigger } from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { credentialFields, parameters } from '../kit/n8n/editorLabels';

const UNSEEN = ['hidden', 'notice'];
const shown = [...parameters, ...credentialFields].filter(({ type }) => !UNSEEN.includes(type));

/** Labels of those parameters that don't hold to a rule. */
function labelsOf(wrong: INodeProperties[]): string[] {
	return wrong.map(({ displayName }) => displayName);
}

/** Lists with the names of their choices, in the order of the editor. */
const lists = shown
	.filter(({ type }) => type === 'options' || type === 'multiOptions')
	.map(({ options = [] }) => options.flatMap((option) => ('value' in option ? [option] : [])));

/** Notices, tooltips and hints. */
const texts = [
	...[...parameters, ...credentialFields].flatMap(
		({ type, displayName, description = '', hint = '' }) =>
			type === 'notice' ? [displayName] : [description, hint],
	),
	...lists.flatMap((choices) => choices.map(({ description = '' }) => description)),
].filter(Boolean);

// The rules of n8n that docs/verification.md answers to.
describe('what the editor shows of each parameter', () => {
	it('ends with a full stop where there are several sentences, and only there', () => {
		const isWrong = (text: string) => /(\. |>)[A-Z\d]/.test(text) !== text.endsWith('.');
		expect(texts.filter(isWrong)).toEqual([]);
	});

	it('puts the names of parameters in quotation marks', () => {
		const choices = lists.flatMap((list) => list.map(({ name }) => name));
		const names = labelsOf(shown).filter((name) => / /.test(name) && !choices.includes(name));
		const quoted = [...names.map((name) => `'${name}'`), ...choices];
		const isBare = (text: string) => {
			const rest = quoted.reduce((left, name) => left.replaceAll(name, ''), text);
			return names.some((name) => rest.includes(name));
		};
		expect(texts.filter(isBare)).toEqual([]);
	});

	it('says of each number that can be added what counts without it', () => {
		const numbers = parameters.flatMap(({ type, options = [] }) =>
			type === 'collection'
				? options.flatMap((option) =>
						'type' in option && option.type === 'number' ? [option] : [],
					)
				: [],
		);
		const isSilent = ({ description = '', default: initial }: INodeProperties) =>
			!description.includes(`Defaults to ${String(initial)}`) &&
			!description.includes('without this option');
		expect(labelsOf(numbers.filter(isSilent))).toEqual([]);
		expect(numbers.length).toBeGreaterThan(5);
	});

	it('says what the parameter is for', () => {
		const explained = shown.filter(
			({ type, name }) => type !== 'collection' && name !== 'operation',
		);
		const isSilent = ({ description = '', hint = '' }: INodeProperties) => !(description + hint);
		expect(labelsOf(explained.filter(isSilent))).toEqual([]);
	});

	it('gives an example where a text that is no secret is typed', () => {
		const typed = shown.filter(
			({ type, typeOptions }) => type === 'string' && !typeOptions?.password,
		);
		const isBare = ({ placeholder = '' }: INodeProperties) => !placeholder.startsWith('e.g. ');
		expect(labelsOf(typed.filter(isBare))).toEqual([]);
		expect(typed.length).toBeGreaterThan(0);
	});

	it('starts with a value that it offers', () => {
		const lists = shown.filter(({ type }) => type === 'options');
		const isStranded = ({ options = [], default: initial }: INodeProperties) =>
			!options.some((option) => 'value' in option && option.value === initial);
		expect(labelsOf(lists.filter(isStranded))).toEqual([]);
		expect(lists.length).toBeGreaterThan(0);
	});
});

// Whoever adds one decides: a retry that doesn't compare it returns what was paid with another
// value, and one that compares it pays again for every change.
it('a retry compares each parameter of the action node, unless it changes nothing that is paid', () => {
	const compared = [
		...['additionalFiles', 'additionalRequestFields', 'binaryFieldPrefix', 'contractSign'],
		...['customData', 'documentBase64', 'documentBinaryField', 'documentFields'],
		...['documentSource', 'downloadFilesNotice', 'faceBase64'],
		...['faceBinaryField', 'faceSource', 'maxFileSize', 'mode', 'operation', 'options', 'output'],
		...['profile', 'qrCodeBinaryField', 'referenceFaceBase64', 'referenceFaceBinaryField'],
		...['referenceFaceSource', 'resource', 'toolDescription'],
		...['waitForResultNotice', 'waitUnit', 'waitUpTo'],
	];
	const uncompared = [
		...['branchOnDecision', 'maxPaidRequests', 'maxParallelRequests', 'maxRateLimitWait'],
		...['sendOtherFileTypes', 'stopBelowCredits', 'timeout'],
	];
	const { properties } = new IdentityVerification().description;
	const entries = properties.flatMap(({ type, options = [] }) =>
		type === 'collection' ? options : [],
	);
	const names = new Set([...properties, ...entries].map(({ name }) => name));

	expect([...names].sort()).toEqual([...compared, ...uncompared].sort());
	// Stored executions of 0.1.0 may have an option that is gone.
	expect([...UNCOMPARED].sort()).toEqual([...uncompared, 'repeatAfterServerErrors'].sort());
});

it.each([
	['the action', new IdentityVerification().description, actionCodex],
	['the trigger', new IdentityVerificationTrigger().description, triggerCodex],
])('the codex of %s names its version', (_, { version }, codex) => {
	expect(Number(codex.nodeVersion)).toBe(version);
});
