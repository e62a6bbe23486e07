import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { Bed } from './bed';
import { readEnvironment } from './environment';
import { HEADINGS, cellsOf, isReached, markdownTable } from './figures';
import type { Measurement, Section } from './figures';
import { measureFlatMemory } from './flatMemory';
import { measureOwnCost } from './ownCost';
import { measurePace } from './pace';
import { measureScanMemory } from './scanMemory';
import { measureScanThroughput } from './scanThroughput';
import { measureShapes } from './shapes';
import { leastCpuMsPerEvent, measureTrigger } from './trigger';
import { measureWaiting } from './waiting';

const HELP = `npm run bench -- [flags]

Measures the package and what users would wire up instead, in a real n8n.

  --json <file>      write the figures to a file
  --only <sections>  trigger, own-cost, shapes, waiting, scan-memory, scan-throughput, flat-memory,
                     pace, by commas
  --help             show this

Ends with 1 when a target is missed.`;

const INTERRUPTED = 130;

type Measure = (bed: Bed, sections: Section[]) => Promise<Section>;

const SECTIONS: Record<string, Measure> = {
	trigger: measureTrigger,
	'own-cost': async (bed, sections) => await measureOwnCost(bed, leastCpuMsPerEvent(sections)),
	shapes: measureShapes,
	waiting: measureWaiting,
	'scan-memory': measureScanMemory,
	'scan-throughput': measureScanThroughput,
	'flat-memory': measureFlatMemory,
	pace: measurePace,
};

function readSettings() {
	const { values } = parseArgs({
		options: {
			json: { type: 'string' },
			only: { type: 'string', default: Object.keys(SECTIONS).join() },
			help: { type: 'boolean', default: false },
		},
	});
	const names = values.only.split(',').map((name) => name.trim());
	const unknown = names.find((name) => !SECTIONS[name]);
	if (unknown !== undefined) throw new Error(`There is no section "${unknown}". See --help.`);
	return { ...values, names };
}

async function measureAll(names: string[]): Promise<Measurement> {
	const started = Date.now();
	const minutes = () => (Date.now() - started) / 60_000;
	const bed = await Bed.open();
	try {
		const sections: Section[] = [];
		for (const name of names) {
			const measure = SECTIONS[name];
			if (measure) sections.push(await measure(bed, sections));
			console.log(`${name}: measured, ${minutes().toFixed(1)} minutes since the start`);
		}
		const figures = sections.flatMap((section) => section.figures);
		return { environment: readEnvironment(), minutes: minutes(), figures };
	} finally {
		await bed.close();
	}
}

async function main(): Promise<number> {
	const { help, json, names } = readSettings();
	if (help) {
		console.log(HELP);
		return 0;
	}
	const measurement = await measureAll(names);
	console.log(`\n${markdownTable(measurement.figures.map(cellsOf), HEADINGS)}`);
	if (json) await writeFile(json, JSON.stringify(measurement, null, '\t') + '\n');
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
