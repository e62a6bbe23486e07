import type * as n8nWorkflow from 'n8n-workflow';

const actual = fromN8nCore('n8n-workflow') as typeof n8nWorkflow;

/**
 * n8n-workflow, but its `sleep` takes a twentieth of its time: for tests of what waits seconds
 * between its tries.
 */
export = {
	...actual,
	sleep: async (milliseconds: number) => await actual.sleep(milliseconds / 20),
};
