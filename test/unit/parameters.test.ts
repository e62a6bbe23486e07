import type { INodeProperties } from 'n8n-workflow';

import { credentialFields, parameters } from '../kit/editorLabels';

const SMALL_WORDS = /^(of|on|a|the|for)$/;

const shown = [...parameters, ...credentialFields].filter(({ type }) => type !== 'notice');

/** Labels of those parameters that don't hold to a rule. */
function labelsOf(wrong: INodeProperties[]): string[] {
	return wrong.map(({ displayName }) => displayName);
}

describe('what the editor shows of each parameter', () => {
	it('is named in title case', () => {
		const isTitle = ({ displayName }: INodeProperties) =>
			displayName.split(' ').every((word) => SMALL_WORDS.test(word) || /^\(?[A-Z]/.test(word));
		expect(labelsOf(shown.filter((parameter) => !isTitle(parameter)))).toEqual([]);
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
