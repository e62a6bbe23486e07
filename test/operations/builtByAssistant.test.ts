import { validateNodeDescription } from 'n8n-core/dist/nodes-loader/validate-node-description';
import type { INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { MODES } from '../../nodes/IdentityVerification/contract/vocabulary';
import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { IdentityVerificationTrigger } from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { OPERATIONS } from '../../nodes/IdentityVerification/operations';
import { actionRunner, failureOf } from '../kit/engine/action';
import { useSandbox } from '../kit/service/sandbox';

// What n8n's MCP server and its AI builders read of the nodes. Such a builder has no editor that
// would offer it the right values.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const action = new IdentityVerification().description;
const trigger = new IdentityVerificationTrigger().description;

/** The values of each list of the action node, by the name of its parameter. */
const valuesOf = (name: string): unknown[] => {
	const [parameter] = action.properties.filter(
		({ name: other, displayOptions }) => other === name && !displayOptions?.show?.['@tool'],
	);
	return (parameter?.options ?? []).flatMap((option) => ('value' in option ? [option.value] : []));
};

describe('n8n loads', () => {
	it.each([action, trigger])('the description of $displayName', (description) => {
		expect(() => validateNodeDescription(description)).not.toThrow();
	});

	it('no description with a hint at its modes', () => {
		const withHint = (name: string): INodeTypeDescription => ({
			...action,
			properties: action.properties.map((parameter) =>
				parameter.name === name ? { ...parameter, builderHint: { propertyHint: 'x' } } : parameter,
			),
		});

		expect(() => validateNodeDescription(withHint('mode'))).toThrow(/builderHint/);
		expect(() => validateNodeDescription(withHint('operation'))).toThrow(/builderHint/);
	});
});

describe('a builder reads', () => {
	it('what each mode means and costs, at the parameter', () => {
		const [mode] = action.properties.filter(({ name }) => name === 'mode');

		for (const { mode: value, checks, credits } of MODES) {
			expect(mode?.description).toMatch(
				new RegExp(`${value} is ${checks} \\(${credits} credits?\\)`),
			);
		}
	});

	it.each([action, trigger])(
		'of $displayName that pinned data says nothing about the connections',
		({ builderHint }) => {
			expect(builderHint?.searchHint).toMatch(/pinned test data to the first output.*don't change/);
		},
	);

	it('that n8n drops a limit of the costs outside of the object options', () => {
		expect(action.builderHint?.searchHint).toMatch(
			/maxPaidRequests, in the object options.*n8n silently drops a limit/,
		);
	});

	it('of the tool only the operations that it has', () => {
		const { usableAsTool } = action;
		const { replacements = {} } = typeof usableAsTool === 'object' ? usableAsTool : {};
		const hint = replacements.builderHint?.searchHint;

		const named = OPERATIONS.filter(({ choice }) => hint?.includes(choice.name));
		expect(named).toEqual(OPERATIONS.filter(({ toolDescription }) => toolDescription));
		expect(hint).not.toMatch(/output/i);
	});
});

describe('a value that does not exist is refused with those that do', () => {
	const LINK = { operation: 'createHostedLink' };
	/** For each list of the node, what shows it. */
	const LISTS: Record<string, INodeParameters> = {
		operation: {},
		documentSource: {},
		faceSource: {},
		output: {},
		mode: LINK,
		referenceFaceSource: { ...LINK, mode: 2 },
	};
	/** Those of Wait for Result are looked at before its link is created. */
	const OF_A_WAIT = ['waitUnit'];

	it('in each list', () => {
		const lists = action.properties.filter(({ type }) => type === 'options');
		expect(new Set(lists.map(({ name }) => name))).toEqual(
			new Set([...Object.keys(LISTS), ...OF_A_WAIT]),
		);
	});

	it.each(Object.entries(LISTS))('%s', async (name, parameters) => {
		const result = await run({ parameters: { ...parameters, [name]: 'fly' } });

		const { message } = failureOf(result);
		const [, listed = ''] =
			/^'[\w\s]+' is not one of (.+?)\. Nothing was charged/.exec(message) ?? [];
		expect(listed.split(', ').sort()).toEqual(valuesOf(name).map(String).sort());
		expect(await sandbox.requests()).toEqual([]);
	});
});
