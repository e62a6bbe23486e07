import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { IdentityVerificationApi } from '../../../credentials/IdentityVerificationApi.credentials';
import { IdentityVerification } from '../../../nodes/IdentityVerification/IdentityVerification.node';
import { picture } from '../data/picture';
import type { TestSandbox } from '../service/sandbox';
import { runNode, startNode } from './index';
import type { Credential, InputItem, NodeRun, RunningNode, RunOptions } from './index';

export interface ActionOptions extends Omit<RunOptions, 'node' | 'credential'> {
	/** Values that differ from the sandbox's. */
	credential?: IDataObject;
	credentialFailure?: Pick<Credential, 'failure' | 'failsAfter'>;
}

/**
 * The action node with a credential for the sandbox. Scans, unless the parameters say otherwise.
 */
export function actionRunner(sandbox: TestSandbox) {
	return {
		run: async (options: ActionOptions = {}): Promise<NodeRun> =>
			await runNode(runOptions(sandbox, options)),
		start: async (options: ActionOptions = {}): Promise<RunningNode> =>
			await startNode(runOptions(sandbox, options)),
	};
}

/** The action node as n8n hands it to an AI agent. */
export function agentTool(): IdentityVerification {
	const node = new IdentityVerification();
	node.description = { ...node.description, name: 'identityVerificationTool' };
	return node;
}

/** What most tests run: all results at one output. */
const SCAN_PARAMETERS = { operation: 'scan', profile: 'sandbox-accept', branchOnDecision: false };

function runOptions(sandbox: TestSandbox, options: ActionOptions): RunOptions {
	const { parameters, credential, credentialFailure, items = [documentItem()], ...rest } = options;
	return {
		...rest,
		node: IdentityVerification,
		items,
		parameters: { ...SCAN_PARAMETERS, ...parameters } as INodeParameters,
		credential: { ...sandboxCredential(sandbox, credential), ...credentialFailure },
	};
}

export function sandboxCredential(sandbox: TestSandbox, values: IDataObject = {}): Credential {
	return {
		type: new IdentityVerificationApi(),
		values: { apiKey: sandbox.apiKey, baseUrl: sandbox.url, ...values } as Credential['values'],
	};
}

/** An item with a document image in the field that the node reads by default. */
export function documentItem(content = picture()): InputItem {
	return { files: { data: { content } } };
}

/** Items with a document image each, and the images. */
export function documentItems(count: number): { items: InputItem[]; images: Buffer[] } {
	const images = Array.from({ length: count }, () => picture());
	return { images, items: images.map((image) => documentItem(image)) };
}

/** Options that download a file from this address, whose host is allowed. */
export function downloadOf(fileUrl: string, options?: ActionOptions): ActionOptions {
	return downloadsOf(1, fileUrl, options);
}

/** The same for several items, of which each names the file. */
export function downloadsOf(
	count: number,
	fileUrl: string,
	{ parameters, ...options }: ActionOptions = {},
): ActionOptions {
	const json = { outputFile: [{ fileName: 'report.txt', fileUrl }] };
	return {
		items: Array.from({ length: count }, () => ({ json })),
		credential: { fileHosts: new URL(fileUrl).host },
		...options,
		parameters: { operation: 'downloadFiles', ...parameters },
	};
}

/** The JSON of the items of the first output. */
export function jsonOf({ outputs }: NodeRun): IDataObject[] {
	return (outputs[0] ?? []).map(({ json }) => json);
}

/** Message and description of the error that the node failed with. */
export function failureOf({ error, status }: NodeRun) {
	return {
		status,
		message: error?.message ?? '',
		description: String(error?.description ?? ''),
		itemIndex: error?.context?.itemIndex as number | undefined,
	};
}
