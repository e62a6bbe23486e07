import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** A document of the repository, cut into what tests look at. */
export interface Document {
	/** Path from the top of the repository. */
	file: string;
	text: string;
	blocks: { language: string; content: string }[];
	/** Text without code blocks. */
	prose: string;
	/** Targets of links and pictures. */
	links: string[];
	/** Addresses of the headings, as GitHub makes them, and of what is marked as `<a id="…">`. */
	anchors: string[];
}

/** The READMEs and guides that people read. */
export function documents(): Document[] {
	const inFolder = (folder: string) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.md'))
			.map((name) => join(folder, name));
	const top = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
	return [...top, ...inFolder('bench'), ...inFolder('docs'), ...inFolder('examples')]
		.sort()
		.map(readDocument);
}

export function readDocument(file: string): Document {
	const text = readFileSync(join(ROOT, file), 'utf8');
	const fences = [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)];
	const prose = text.replace(/^```\w*\n[^]*?^```$/gm, '');
	return {
		file,
		text,
		prose,
		blocks: fences.map(([, language = '', content = '']) => ({ language, content })),
		links: matches(prose, /\]\(([^)\s]+)\)/g),
		anchors: [
			...matches(prose, /^#+ (.+)$/gm).map(anchorOf),
			...matches(prose, /<a id="([\w-]+)">/g),
		],
	};
}

/** Rows of the table whose heading row begins with these cells; formatting is removed. */
export function tableRows({ text }: Document, ...heading: string[]): string[][] {
	const lines = text.split('\n');
	const start = lines.findIndex(
		(line) => cells(line).slice(0, heading.length).join() === `${heading}`,
	);
	if (start < 0) throw new Error(`There is no table with the heading ${heading.join(' | ')}.`);
	const end = lines.findIndex((line, index) => index > start && !line.startsWith('|'));
	return lines.slice(start + 2, end).map(cells);
}

function cells(line: string): string[] {
	if (!line.startsWith('|')) return [];
	return line
		.split('|')
		.slice(1, -1)
		.map((cell) => cell.trim().replace(/[`*]/g, ''));
}

function matches(text: string, pattern: RegExp): string[] {
	return [...text.matchAll(pattern)].map(([, found = '']) => found);
}

function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\w\- ]/g, '')
		.replaceAll(' ', '-');
}
