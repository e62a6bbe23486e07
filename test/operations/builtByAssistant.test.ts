import { validateNodeDescription } from 'n8n-core/dist/nodes-loader/validate-node-description';
import type { INodeParameters, INodeTypeDescription } from 'n8n-workflow';

import { MODES } from '../../nodes/IdentityVerification/contract/vocabulary';
import { IdentityVerification } from '../../nodes/IdentityVerification/IdentityVerification.node';
import { IdentityVerificationTrigger } from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node';
import { WAITING_OUTPUTS } from '../../nodes/IdentityVerification/actions/waitForResult/waitingOutputs';
import { OPERATIONS } from '../../nodes/IdentityVerification/operations';
import { DECISION_OUTPUTS } from '../../nodes/IdentityVerification/result/outputs';
import manifest from '../../package.json';
import { actionRunner, failureOf } from '../kit/engine/action';
import { readDocument } from '../kit/markdown';
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

it('examples/README.md tells it the names of nodes, operations, parameters and outputs', () => {
	const { text } = readDocument('examples/README.md');
	const [, told = ''] = /^## For an assistant .*\n([^]*?)^## /m.exec(text) ?? [];
	const named = [...told.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
	const nodes = [action, trigger].map(({ name }) => `${manifest.name}.${name}`);
	const operations = OPERATIONS.map(({ choice }) => choice.value);
	const parameters = action.properties.map(({ name }) => name);
	const listOf = (outputs: { displayName?: string }[]) => {
		const names = outputs.map(({ displayName }) => displayName);
		return new RegExp(`${names.slice(0, -1).join(', ')}\\s+and\\s+${names.at(-1)}`);
	};

	expect(named).toEqual(expect.arrayContaining([...nodes, ...operations, 'customData']));
	const known: unknown[] = [...nodes, ...operations, ...parameters];
	expect(named.filter((name) => !known.includes(name))).toEqual([]);
	expect(told).toMatch(listOf(WAITING_OUTPUTS));
	expect(told.replace(listOf(WAITING_OUTPUTS), '')).toMatch(listOf(DECISION_OUTPUTS));
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
