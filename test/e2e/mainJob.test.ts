import { itemsOf, outputsTaken } from '../../dev/stack/execution';
import { runMainJob } from '../../dev/stack/mainJob';
import type { Row } from '../../dev/stack/mainJob';
import { openStack } from '../kit/n8n/stack';

const { api } = openStack();

async function executed(row: Row | undefined) {
	const execution = await api.getExecution(row?.executionId ?? '');
	return { execution, nodes: Object.keys(execution.data).sort() };
}

describe('the main job in a real n8n', () => {
	let rows: Row[];

	beforeAll(async () => {
		rows = await runMainJob(api);
	});

	it('is right in every row', () => {
		expect(rows.map(({ expected, got, status }) => [expected, got, status])).toEqual([
			['accept', 'accept', 'success'],
			['review', 'review', 'success'],
			['reject', 'reject', 'success'],
			['accept', 'accept', 'success'],
		]);
	});

	it.each([
		{ row: 0, branch: 'Accept', output: 1 },
		{ row: 1, branch: 'Review', output: 0 },
		{ row: 2, branch: 'Reject', output: 2 },
	])('runs the $branch branch and no other', async ({ row, branch, output }) => {
		const { execution, nodes } = await executed(rows[row]);
		expect(nodes).toEqual([branch, 'Verification Completed'].sort());
		expect(outputsTaken(execution, 'Verification Completed')).toEqual([output]);
		expect(itemsOf(execution, branch)).toEqual([
			expect.objectContaining({ decision: branch.toLowerCase(), reference: expect.any(String) }),
		]);
	});

	it('has the fields of the scanned document in the output', async () => {
		const { execution } = await executed(rows[3]);
		expect(itemsOf(execution, 'Scan Document')).toEqual([
			expect.objectContaining({
				decision: 'accept',
				transactionId: expect.any(String),
				fields: expect.objectContaining({ documentNumber: expect.any(String) }),
			}),
		]);
	});
});
