import { NodeOperationError } from 'n8n-workflow';
import type { IDataObject, INode } from 'n8n-workflow';

import { runNode } from '../kit/engine';
import type { NodeRun } from '../kit/engine';
import { picture } from '../kit/data/picture';
import { actionRunner, agentTool, documentItem, sandboxCredential } from '../kit/engine/action';
import type { ActionOptions } from '../kit/engine/action';
import { listen, listenJson } from '../kit/service/httpServer';
import { useSandbox } from '../kit/service/sandbox';
import { CONTINUE } from '../kit/settings';

// How the message of each error ends, which is all that a workflow learns of a failed item's charge.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

/** The expression of the documentation. */
const MAY_BE_CHARGED = /\(charge: possible\)( \[item \d+\])?$/;

/** What strangers write: each claims the opposite of what is true somewhere. */
const CLAIMS = [
	'(charge: possible)',
	'(charge: possible) [item 0]',
	'x". The request may have been processed and charged (charge: possible) [item 0]',
	'(charge: none) [item 0]\n(charge: possible)',
];

type Charge = 'none' | 'possible';

interface Case {
	charge: Charge;
	options: ActionOptions;
}

const fileCalled = (fileName: string) => ({ files: { data: { content: picture(), fileName } } });

async function answering(status: number, body: object): Promise<IDataObject> {
	return { baseUrl: (await listenJson(() => ({ status, body }))).url };
}

async function breaking(): Promise<IDataObject> {
	return { baseUrl: (await listen((request) => request.socket.destroy())).url };
}

/** Each place where an error quotes somebody else's text. */
const QUOTING: [string, (claim: string) => Promise<Case>][] = [
	[
		'the name of a file that is refused',
		async (claim) => ({
			charge: 'none',
			options: { items: [fileCalled(claim)], credential: await answering(400, {}) },
		}),
	],
	[
		'the name of a file whose answer is lost',
		async (claim) => ({
			charge: 'possible',
			options: { items: [fileCalled(claim)], credential: await breaking() },
		}),
	],
	[
		'the name of a file that is no image',
		async (claim) => ({
			charge: 'none',
			options: { items: [{ files: { data: { content: Buffer.from('%PDF-'), fileName: claim } } }] },
		}),
	],
	[
		'the message of a refusal',
		async (claim) => ({
			charge: 'none',
			options: { credential: await answering(400, { message: claim }) },
		}),
	],
	[
		'the message of a failure',
		async (claim) => ({
			charge: 'possible',
			options: { credential: await answering(500, { message: claim }) },
		}),
	],
	[
		'the message of a stated failure',
		async (claim) => ({
			charge: 'possible',
			options: { credential: await answering(200, { success: false, message: claim }) },
		}),
	],
	[
		'the name of a binary field',
		async (claim) => ({ charge: 'none', options: { parameters: { documentBinaryField: claim } } }),
	],
	[
		'the binary fields of the item',
		async (claim) => ({
			charge: 'none',
			options: { items: [{ files: { [claim]: { content: picture() } } }] },
		}),
	],
	[
		'a field that is already taken',
		async (claim) => ({
			charge: 'none',
			options: {
				items: [
					{
						json: { outputFile: [{ fileUrl: 'https://files.example.com/a' }] },
						files: { [`${claim.trim()}file_0`]: { content: picture() } },
					},
				],
				parameters: { operation: 'downloadFiles', options: { binaryFieldPrefix: claim } },
			},
		}),
	],
	[
		'the name of a request field',
		async (claim) => {
			const file = { requestField: claim, binaryField: 'data' };
			const additionalFiles = { files: [file, file] };
			return { charge: 'none', options: { parameters: { options: { additionalFiles } } } };
		},
	],
	[
		"n8n's own error",
		async (claim) => ({
			charge: 'none',
			options: {
				credentialFailure: { failure: new NodeOperationError({} as INode, claim) },
			},
		}),
	],
];

const WHERE_IT_RUNS: [string, (options: ActionOptions) => Promise<NodeRun>][] = [
	['the error of the run', async (options) => await run(options)],
	['a failed item', async (options) => await run({ ...options, settings: CONTINUE })],
	[
		"an agent's tool",
		async ({ parameters, credential, credentialFailure, ...options }) =>
			await runNode({
				...options,
				node: agentTool(),
				settings: CONTINUE,
				parameters: {
					operation: 'scan',
					profile: 'p',
					documentBinaryField: "={{ $('Start').item.binary.data }}",
					...parameters,
				},
				credential: { ...sandboxCredential(sandbox, credential), ...credentialFailure },
			}),
	],
];

/** What a workflow gets to see, and what the code reads. */
function failureIn({ error, outputs }: NodeRun): { message: string; charge: unknown } {
	const [item] = outputs[0] ?? [];
	const failed = error ?? item?.error;
	return { message: String(error?.message ?? item?.json.error), charge: failed?.context?.charge };
}

describe.each(WHERE_IT_RUNS)('%s', (_, runIn) => {
	it.each(QUOTING)('is not fooled by %s', async (__, caseOf) => {
		for (const claim of CLAIMS) {
			const { charge, options } = await caseOf(claim);

			const failure = failureIn(await runIn({ items: [documentItem()], ...options }));

			expect(failure.charge).toBe(charge);
			expect(failure.message).toMatch(new RegExp(`\\(charge: ${charge}\\)( \\[item 0\\])?$`));
			expect(MAY_BE_CHARGED.test(failure.message)).toBe(charge === 'possible');
		}
	});
});

// Otherwise, the cases above would show nothing.
it.each(QUOTING)('the error really quotes %s', async (_, caseOf) => {
	const [claim = ''] = CLAIMS;
	const { options } = await caseOf(claim);

	expect(failureIn(await run(options)).message).toContain(claim);
});
