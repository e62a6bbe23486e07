import { z } from 'zod/v4';

/** The format of the reports of *Pilot*; its README describes it. */
export const pilotReport = z.strictObject({
	report: z.literal('pilot-report@1'),
	part: z.enum(['requests', 'link']),
	verdict: z.string(),
	at: z.iso.datetime(),
	versions: z.string(),
	stopped: z.string().nullable(),
	requests: z.object({ sent: z.number(), allowed: z.number() }),
	/** Of the requests alone. */
	credits: z.object({ before: z.number(), after: z.number().nullable() }).optional(),
	lines: z.array(
		z.strictObject({
			id: z.string(),
			assumption: z.string(),
			probe: z.string(),
			verdict: z.enum(['holds', "doesn't hold", 'not seen', 'not conclusive', 'seen once']),
			seen: z.string().nullable(),
			at: z.string().nullable(),
			todo: z.string().optional(),
		}),
	),
	/** Of the links alone. */
	toFindOut: z.string().optional(),
	afterwards: z.string(),
});
export type PilotReport = z.infer<typeof pilotReport>;

/** The verdict of each line, by its ID. */
export function verdictsOf({ lines }: PilotReport): Record<string, string> {
	return Object.fromEntries(lines.map(({ id, verdict }) => [id, verdict]));
}

/** What the report of the links says of a service that is as documented. */
export const LINKS_AS_DOCUMENTED = {
	'trigger-takes-it': 'holds',
	'webhook-arrives': 'holds',
	'webhook-method': 'holds',
	'webhook-type': 'holds',
	'webhook-headers': 'seen once',
	'webhook-delay': 'holds',
	'webhook-once': 'seen once',
	'link-known': 'holds',
	'custom-data': 'holds',
	'custom-data-length': 'holds',
};
