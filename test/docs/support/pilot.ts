import { runInNewContext } from 'node:vm';

import type { IDataObject } from 'n8n-workflow';

import type { PilotReport } from '../../kit/data/pilotReport';
import { exampleWorkflows } from './exampleWorkflows';

export interface Item {
	json: IDataObject;
	binary?: object;
}

/** A workflow of the example *Pilot*, whose nodes run here one by one. */
export class PilotNodes {
	private readonly nodes;

	constructor(file: string) {
		this.nodes = exampleWorkflows.find((workflow) => workflow.file === `pilot/${file}`)?.nodes;
	}

	parameters(name: string): IDataObject {
		const node = this.nodes?.find((one) => one.name === name);
		if (!node) throw new Error(`Pilot has no node ${name}.`);
		return node.parameters as IDataObject;
	}

	/** Runs a Code node with these of n8n's variables. */
	async run(name: string, variables: object): Promise<Item[]> {
		const code = `(async () => {${String(this.parameters(name).jsCode)}\n})()`;
		const items = (await runInNewContext(code, { Buffer, ...variables })) as unknown;
		return JSON.parse(JSON.stringify(items)) as Item[];
	}

	/** What *Compare* makes of its two inputs: each line that is expected, with what was measured. */
	compare(expected: Item[], measured: Item[]): Item[] {
		return expected.flatMap(({ json: line }) => {
			const found = measured.filter(({ json }) => json.id === line.id);
			return found.length > 0
				? found.map(({ json }) => ({ json: { ...line, ...json } }))
				: [{ json: line }];
		});
	}
}

/** The line of a report with this ID; of several, the first one. */
export function lineOf({ lines }: PilotReport, id: string): PilotReport['lines'][number] {
	const line = lines.find((one) => one.id === id);
	if (!line) throw new Error(`The report has no line ${id}.`);
	return line;
}
