import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { z } from 'zod/v4';

import { ROOT } from '../dev/stack/paths';
import { SHAPES } from './bodies';
import { Section } from './figures';

const run = promisify(execFile);

/** In milliseconds, and the time of the slowest output as a multiple of them. */
const cost = z.object({ bytes: z.number(), parseMs: z.number(), ratio: z.number() });

/** What it takes to read bodies of unusual shapes, compared with JSON.parse. */
export async function measureShapes(): Promise<Section> {
	const section = new Section('Shapes of bodies');
	for (const setting of Object.keys(SHAPES)) {
		const script = join(__dirname, 'child', 'shapeCost.ts');
		// A process of its own: what V8 has learned of one shape would slow down the next one.
		const args = ['--expose-gc', '--single-threaded-gc', '--import', 'tsx', script, setting];
		const { stdout } = await run(process.execPath, args, { cwd: ROOT });
		const { bytes, parseMs, ratio } = cost.parse(JSON.parse(stdout));
		section.add('size', 'MB', bytes / 1024 / 1024, { setting });
		section.add('JSON.parse, CPU', 'ms', parseMs, { setting });
		section.add('from text to item, to JSON.parse', 'x', ratio, { setting });
	}
	return section;
}
