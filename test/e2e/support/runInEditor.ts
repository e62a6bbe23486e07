import type { N8nApi, WorkflowFile } from '../../../dev/stack/api';
import { isFinished } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { poll } from '../../../dev/stack/poll';

/** The trigger of the examples that runs them without the service. */
export const TRY = 'Try It without the Service';

/** Selects *Execute workflow* at a trigger. Returns the execution when it has ended. */
export async function runInEditor(
	api: N8nApi,
	{ id }: WorkflowFile,
	triggerName: string,
): Promise<Execution> {
	const executionId = await api.runWorkflow(id, triggerName);
	const hasEnded = async () => {
		const listed = (await api.listExecutions(id)).find((known) => known.id === executionId);
		return listed && isFinished(listed) ? true : undefined;
	};
	await poll(hasEnded, { what: `execution ${executionId} to end`, timeoutMs: 180_000 });
	return await api.getExecution(executionId);
}
