import { NodeOperationError } from 'n8n-workflow';
import type { IExecuteFunctions, INode } from 'n8n-workflow';

import { failedItem } from '../../nodes/IdentityVerification/batch/failedItem';
import type { PaidRequests } from '../../nodes/IdentityVerification/batch/paid/paidRequests';
import { ENGINE_2_EXECUTION } from '../kit/settings';

const error = new NodeOperationError({} as INode, 'The document image is missing');
const paid = { lacksEarlierResult: () => false } as Partial<PaidRequests> as PaidRequests;

function jsonOfFailedItem({ isAgentTool = false, executionId = '7' }): unknown {
	const context = { getExecutionId: () => executionId } as IExecuteFunctions;
	return failedItem({ context, isAgentTool }, paid, 0, error).json;
}

describe('an item that failed, where the node continues', () => {
	it.each([
		['an agent, which may run its tools without the engine', { isAgentTool: true }],
		['Engine 2.0', { executionId: ENGINE_2_EXECUTION }],
	])('says why in its JSON, for %s', (_, run) => {
		expect(jsonOfFailedItem(run)).toEqual({ error: 'The document image is missing' });
	});

	// Otherwise, Retry On Fail would repeat the node.
	it('leaves that to n8n in all other cases', () => {
		expect(jsonOfFailedItem({})).toEqual({});
	});
});
