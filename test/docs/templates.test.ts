import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { workflowFile } from '../../dev/stack/api';
import type { WorkflowFile } from '../../dev/stack/api';
import { readDocument } from '../kit/markdown';

// The rules of n8n's library of templates.

const ROOT = join(__dirname, '..', '..');
const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const [YELLOW, WHITE] = [1, 7];

const names = readDocument('examples/templates/README.md')
	.links.filter((link) => link.startsWith('../'))
	.map((link) => link.slice('../'.length));
const wordsOf = (text: unknown) => String(text).split(/\s+/).length;

beforeAll(() => {
	execFileSync(process.execPath, ['examples/templates/build.mjs'], { cwd: ROOT });
});

it('there are three', () => {
	expect(names).toHaveLength(3);
});

describe.each(names)('the template %s', (name) => {
	let text: string;
	let file: WorkflowFile;

	beforeAll(() => {
		text = readFileSync(join(ROOT, 'build', 'templates', `${name}.json`), 'utf8');
		file = workflowFile.parse(JSON.parse(text));
	});

	const notes = (color: number) =>
		file.nodes.filter(({ type, parameters }) => type === STICKY_NOTE && parameters.color === color);

	it('has no credentials, no local addresses, and nothing of this repository', () => {
		expect(text).not.toMatch(/"credentials"|127\.0\.0\.1|localhost|npm start|README|sandbox/);
	});

	it('has one note at the top left that says how it works and how to set it up', () => {
		const [main, ...others] = notes(YELLOW);
		expect(others).toEqual([]);
		expect(main?.parameters.content).toMatch(/^## .+\n\n.+\n[^]*### How it works\n[^]*### Setup\n/);
		expect(wordsOf(main?.parameters.content)).toBeGreaterThanOrEqual(100);
		expect(wordsOf(main?.parameters.content)).toBeLessThanOrEqual(300);
		const [first = [], ...rest] = [main, ...file.nodes].map((node) => node?.position as number[]);
		for (const axis of [0, 1]) {
			expect(first[axis]).toBe(Math.min(...rest.map((position) => position[axis] ?? NaN)));
		}
	});

	it('has short notes around its nodes', () => {
		expect(notes(WHITE).length).toBeGreaterThan(1);
		for (const { parameters } of notes(WHITE)) expect(wordsOf(parameters.content)).toBeLessThan(50);
	});

	it('has every node inside one of them', () => {
		const inside = notes(WHITE).map(({ position, parameters }) => {
			const [left = NaN, top = NaN] = position as number[];
			const [right, bottom] = [left + Number(parameters.width), top + Number(parameters.height)];
			return ([x = NaN, y = NaN]: number[]) => x > left && x < right && y > top && y < bottom;
		});
		const outside = file.nodes
			.filter(({ type }) => type !== STICKY_NOTE)
			.filter(({ position }) => !inside.some((contains) => contains(position as number[])));
		expect(outside.map(({ name }) => name)).toEqual([]);
	});

	it('has a title and an overview of the right length', () => {
		const [, overview] = String(notes(YELLOW)[0]?.parameters.content).split('\n\n');
		expect(file.name).toMatch(/^(Scan|Review|Create) [ -~]{30,70}$/);
		expect(wordsOf(overview)).toBeGreaterThanOrEqual(10);
		expect(wordsOf(overview)).toBeLessThanOrEqual(50);
	});
});
