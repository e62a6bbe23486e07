import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ROOT } from '../dev/stack/paths';
import { simulate } from '../test/kit/simulation';
import type { Service } from '../test/kit/simulation';
import { drawTraces } from './tracePlot';
import type { Trace } from './tracePlot';

const PLOT = join(ROOT, 'docs', 'pace.svg');
const LATENCY_MS = 200;
const SECONDS = 30;
const CHANGE_MS = 15_000;

/** Services, and as many documents as keep them busy for some 30 seconds. */
const SERVICES: { title: string; service: Partial<Service>; documents: number }[] = [
	{ title: 'No limit', service: {}, documents: 8_000 },
	{ title: '5 requests a second', service: { perSecond: () => 5 }, documents: 150 },
	{
		title: '20 requests a second, and 5 after 15 seconds',
		service: { perSecond: (ms) => (ms < CHANGE_MS ? 20 : 5) },
		documents: 390,
	},
	{ title: 'At most 8 requests at once', service: { mostOpen: 8 }, documents: 1_100 },
];

/** Automatic at simulated services, by a simulated clock: the same on any machine. */
function traces(): Trace[] {
	return SERVICES.map(({ title, service, documents }) => {
		const { answers } = simulate({ latencyMs: () => LATENCY_MS, ...service }, documents);
		return {
			title: `${title}, ${LATENCY_MS} ms`,
			points: answers
				.map(({ ms, open, isRefused }) => ({ seconds: ms / 1_000, open, isRefused }))
				.filter(({ seconds }) => seconds <= SECONDS),
		};
	});
}

/** `node --import tsx bench/paceTrace.ts` draws docs/pace.svg. */
writeFile(PLOT, drawTraces(traces(), SECONDS)).catch((error: unknown) => {
	console.error(error instanceof Error ? error.message : error);
	process.exit(1);
});
