import { z } from 'zod/v4';

import { environment } from './environment';

const target = z.object({ is: z.enum(['at least', 'at most']), value: z.number() });

const figure = z.object({
	section: z.string(),
	setting: z.string(),
	name: z.string(),
	value: z.number(),
	unit: z.string(),
	rounds: z.array(z.number()).optional(),
	target: target.optional(),
});

/** What `npm run bench -- --json FILE` writes. */
export const measurement = z.object({
	environment,
	minutes: z.number(),
	figures: z.array(figure),
});

/** What a figure has to be. */
export type Target = z.infer<typeof target>;

/** One measured value: the median of its rounds, if there are several. */
export type Figure = z.infer<typeof figure>;

export type Measurement = z.infer<typeof measurement>;
