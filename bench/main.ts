import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { Bed } from './bed';
import { readEnvironment } from './environment';
import { formatFigures, isReached } from './figures';
import type { Measurement, Section } from './figures';
import { measureFlatMemory } from './flatMemory';
import { measureOwnCost } from './ownCost';
import { measurePace } from './pace';
import { measureScanMemory } from './scanMemory';
import { measureScanThroughput } from './scanThroughput';
import { leastCpuMsPerEvent, measureTrigger } from './trigger';
import { measureWaiting } from './waiting';

const HELP = `npm run bench -- [flags]

Measures the package and what users would wire up instead, in a real n8n.

  --json <file>      write the figures to a file
  --only <sections>  trigger, own-cost, waiting, scan-memory, scan-throughput, flat-memory, by commas;
                     and pace, ten minutes, which is left out unless it's named
  --rounds <number>  rounds of each comparison (default 3)
  --help             show this

Ends with 1 when a target is missed.`;

const ROUNDS = 3;
const INTERRUPTED = 130;

/** This section takes longer than all others together. */
const ONLY_IF_NAMED = 'pace';

type Measure = (bed: Bed, rounds: number, sections: Section[]) => Promise<Section>;

const SECTIONS: Record<string, Measure> = {
	trigger: async (bed, rounds) => await measureTrigger(bed, rounds),
	'own-cost': async (bed, rounds, sections) =>
		await measureOwnCost(bed, rounds, leastCpuMsPerEvent(sections)),
	waiting: async (bed, rounds) => await measureWaiting(bed, rounds),
	'scan-memory': async (bed, rounds) => await measureScanMemory(bed, rounds),
	'scan-throughput': async (bed, rounds) => await measureScanThroughput(bed, rounds),
	'flat-memory': async (bed) => await measureFlatMemory(bed),
	[ONLY_IF_NAMED]: async (bed) => await measurePace(bed),
};

interface Settings {
	json: string | undefined;
	sections: string[];
	rounds: number;
}

function readSettings(): Settings | undefined {
	const usual = Object.keys(SECTIONS).filter((name) => name !== ONLY_IF_NAMED);
	const { values } = parseArgs({
		options: {
			json: { type: 'string' },
			only: { type: 'string', default: usual.join() },
			rounds: { type: 'string', default: String(ROUNDS) },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) return undefined;
	const { json, only } = values;
	const sections = only.split(',').map((name) => name.trim());
	const unknown = sections.find((name) => !SECTIONS[name]);
	if (unknown !== undefined) throw new Error(`There is no section "${unknown}". See --help.`);
	const rounds = Number(values.rounds);
	if (Number.isInteger(rounds) && rounds > 0) return { json, sections, rounds };
	throw new Error(`--rounds must be a whole number from 1, not "${values.rounds}".`);
}

async function measureAll({ sections: names, rounds }: Settings): Promise<Measurement> {
	const started = Date.now();
	const minutes = () => (Date.now() - started) / 60_000;
	const bed = await Bed.open();
	try {
		const sections: Section[] = [];
		for (const name of names) {
			const measure = SECTIONS[name];
			if (measure) sections.push(await measure(bed, rounds, sections));
			console.log(`${name}: measured, ${minutes().toFixed(1)} minutes since the start`);
		}
		const figures = sections.flatMap((section) => section.figures);
		return { environment: readEnvironment(), minutes: minutes(), figures };
	} finally {
		await bed.close();
	}
}

async function main(): Promise<number> {
	const settings = readSettings();
	if (!settings) {
		console.log(HELP);
		return 0;
	}
	const measurement = await measureAll(settings);
	console.log(`\n${formatFigures(measurement.figures)}`);
	if (settings.json) await writeFile(settings.json, JSON.stringify(measurement, null, '\t') + '\n');
	return measurement.figures.every((figure) => isReached(figure) !== false) ? 0 : 1;
}

// What was started ends with this process.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
	process.once(signal, () => process.exit(INTERRUPTED));
}
main().then(
	(code) => process.exit(code),
	(error: unknown) => {
		console.error(error instanceof Error ? error.message : error);
		process.exit(1);
	},
);
