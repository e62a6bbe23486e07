import { z } from 'zod/v4';

/** The format of the reports of *Pilot*; its README describes it. */
const report = z.strictObject({
	report: z.literal('pilot-report@1'),
	part: z.enum(['requests', 'link']),
	at: z.iso.datetime(),
	versions: z.string(),
	stopped: z.string().nullable(),
	paidRequests: z.object({ sent: z.number(), allowed: z.number() }),
	credits: z.object({ before: z.number(), after: z.number().nullable() }),
	lines: z.array(
		z.strictObject({
			id: z.string(),
			assumption: z.string(),
			probe: z.string(),
			verdict: z.enum(['holds', "doesn't hold", 'not seen', 'not conclusive', 'seen once']),
			seen: z.string().nullable(),
			at: z.string().nullable(),
			change: z.string().optional(),
		}),
	),
	afterwards: z.string(),
});
export type Report = z.infer<typeof report>;

/** Reads a report that the browser has saved. */
export function readReport(json: string, part: Report['part']): Report {
	const read = report.parse(JSON.parse(json));
	expect(read.part).toBe(part);
	return read;
}
