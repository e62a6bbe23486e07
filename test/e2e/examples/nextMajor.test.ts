import { z } from 'zod/v4';

import { readExamples } from '../../../dev/stack/examples';
import { openStack } from '../../kit/n8n/handle';

const found = z.object({
	report: z.object({
		workflowResults: z.array(z.object({ ruleId: z.string(), ruleTitle: z.string() })),
	}),
});
const rule = z.object({
	affectedWorkflows: z.array(
		z.object({ id: z.string(), issues: z.array(z.object({ title: z.string() })) }),
	),
});

const { api } = openStack();

it("n8n's own migration report for its version 3 finds nothing in the examples", async () => {
	const examples = await readExamples();
	const names = new Map(examples.map(({ id, name }) => [api.idOf(id), name]));

	const { report } = await api.post('/breaking-changes/report/refresh?version=v3', {}, found);

	const problems: string[] = [];
	for (const { ruleId } of report.workflowResults) {
		const { affectedWorkflows } = await api.get(`/breaking-changes/report/${ruleId}`, rule);
		for (const { id, issues } of affectedWorkflows) {
			const titles = issues.map(({ title }) => title).join('; ');
			if (names.has(id)) problems.push(`${names.get(id)}: ${titles}`);
		}
	}
	expect(names.size).toBe(examples.length);
	expect(problems).toEqual([]);
});
