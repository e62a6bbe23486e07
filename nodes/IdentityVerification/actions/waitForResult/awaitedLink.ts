import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { WRONG_SETTING, nodeError } from '../../errors/nodeErrors';
import type { NodeError } from '../../errors/nodeErrors';
import {
	nodesAfter,
	nodesBefore,
	readNode,
	runCountOf,
	sharesCredential,
} from '../../n8n/otherNodes';
import { CREATE_LINK_OPERATION, WAIT_OPERATION } from '../../operation';
import type { LinkItem } from '../../operation';
import { SAME_CREDENTIAL } from './requirements';
import type { Requirement } from './requirements';
import { INDEXES_OF_DECISIONS } from './waitingOutputs';

/** A link, read from its item. */
interface Link {
	/** Empty if the service's answer had none. */
	reference: string;
	url: string;
	customData: string;
	createdAt: string;
	/** ID of the execution that waits for its result. */
	awaitedBy: unknown;
	/** Name of the node that created it. */
	creator: string;
}

/**
 * Finds the newest link that this execution created for the waiting item. Undefined when its result
 * has already arrived, for example on another path to this node.
 * @throws NodeOperationError when there is no such link, or when it was created with another
 * credential
 */
export function awaitedLink(context: IExecuteFunctions): Link | undefined {
	const creators = nodesBefore(context, CREATE_LINK_OPERATION);
	const links = creators.flatMap(({ name }) => linkOf(context, name));
	const newest = links.sort((a, b) => b.createdAt.localeCompare(a.createdAt)).at(0);
	// Check this before ownership: a Retry after a crash brings the link and the result of the first
	// try.
	if (newest && hasResult(context, newest)) return undefined;
	if (newest?.reference === '') {
		throw waitingError(context, {
			message:
				'The link came without a reference, by which Wait for Result would recognize its result',
			advice: "Look the link up in the service's web portal.",
		});
	}
	if (newest?.awaitedBy !== context.getExecutionId()) {
		throw waitingError(context, {
			message: 'Wait for Result found no link that this execution created for this item',
			advice:
				'Connect it after Create Hosted Link, and run both in the same execution, without pinned data; a Retry is another execution. The nodes between them have to keep their input and output items linked.',
		});
	}
	if (!sharesCredential(context, newest.creator)) {
		throw waitingError(context, SAME_CREDENTIAL);
	}
	return newest;
}

/** The link that a node created for the item, in a list of one; empty if it created none. */
function linkOf(context: IExecuteFunctions, creator: string): Link[] {
	const item = readNode(context, creator, (node) => node.item);
	const link: Partial<Record<keyof LinkItem, unknown>> = item?.json ?? {};
	const { reference, url, customData, createdAt, awaitedBy } = link;
	if (typeof reference !== 'string' && (reference !== null || !createdAt)) return [];
	return [
		{
			reference: reference ?? '',
			url: String(url),
			customData: String(customData),
			createdAt: String(createdAt ?? ''),
			awaitedBy,
			creator,
		},
	];
}

/** Whether a Wait for Result after the creator of a link already has its result. */
function hasResult(context: IExecuteFunctions, { creator, reference }: Link): boolean {
	const waits = nodesAfter(context, creator, WAIT_OPERATION);
	const items = waits.flatMap(({ name }) => resultsOf(context, name));
	return items.some(({ json }) => String(json.hosted ?? json.reference) === reference);
}

/** The results of a Wait for Result, in all of its runs in this execution. */
function resultsOf(context: IExecuteFunctions, nodeName: string): INodeExecutionData[] {
	const runs = [...Array(runCountOf(context, nodeName)).keys()];
	return runs.flatMap((run) =>
		INDEXES_OF_DECISIONS.flatMap(
			(output) => readNode(context, nodeName, (node) => node.all(output, run)) ?? [],
		),
	);
}

/** An error of Wait for Result. The link is already paid for, and its result isn't lost. */
export function waitingError(
	context: IExecuteFunctions,
	{ message, advice }: Pick<Requirement, 'message' | 'advice'>,
): NodeError {
	return nodeError(
		{ context },
		{
			message,
			advice: `${advice} A link that was created stays valid, and its result goes to the outputs of the trigger.`,
			charge: 'none',
			chargeText: 'Nothing was charged for waiting',
			cause: WRONG_SETTING,
		},
	);
}
