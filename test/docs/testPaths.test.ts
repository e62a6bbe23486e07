import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { documents, readDocument, tableRows } from '../kit/markdown';

const ROOT = join(__dirname, '..', '..');

const textOf = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** All files below a folder but those of packages, which may be being installed meanwhile. */
function filesIn(folder: string): string[] {
	const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
	return entries
		.filter(({ name }) => name !== 'node_modules')
		.flatMap((entry) => {
			const path = join(folder, entry.name);
			return entry.isDirectory() ? filesIn(path) : [path];
		});
}

/** Paths of a text, by the first group of a pattern. */
const found = (text: string, pattern: RegExp) =>
	[...text.matchAll(pattern)].map(([, path = '']) => path);

const ENDS = ['', '.ts', '.test.ts', '.slow.test.ts', '.random.test.ts'];

/** Whether this is a folder, or a file with or without the end of its name. */
const exists = (path: string) => ENDS.some((end) => existsSync(join(ROOT, path + end)));

/** What in a list or table is neither in `test` nor in one of these folders. */
const missing = (names: string[], ...folders: string[]) =>
	names.filter((name) => !folders.some((folder) => exists(join(folder, name))));

it('comments and documents name tests that exist', () => {
	const code = ['bench', 'credentials', 'dev', 'nodes', 'test']
		.flatMap(filesIn)
		.filter((file) => /\.(ts|[cm]?js)$/.test(file))
		.map(textOf);
	const texts = [...code, ...documents().map(({ text }) => text)];

	const paths = texts.flatMap((text) => found(text, /(?<![\w./])(test\/[\w/]+(?:\.\w+)*)/g));

	expect(paths.length).toBeGreaterThan(20);
	expect(missing(paths, '.')).toEqual([]);
});

it.each([
	['CONTRIBUTING.md', 'If you change', 1, ['test']],
	['docs/architecture.md', 'What n8n does', 2, ['test/e2e', 'test']],
])('the table in %s names tests that exist', (file, heading, column, folders) => {
	const rows = tableRows(readDocument(file), heading);
	const names = rows.flatMap((cells) => cells[column]?.split(', ') ?? []);

	expect(names.length).toBeGreaterThan(10);
	expect(missing(names, ...folders)).toEqual([]);
});

it.each([
	['dev/mutate.mjs', /^const ROOMS = \{$[^]*?^\};$/m, 'test'],
	['dev/versions.mjs', /^const TESTS = [^]*?^const OVERRIDES/m, 'test/e2e'],
])('the lists in %s name tests that exist', (file, lists, folder) => {
	const [list = ''] = lists.exec(textOf(file)) ?? [];
	// A key is what is measured, and not a test.
	const names = found(list, /'([\w/.]+)(?:\/\*)?'(?!:)/g);

	expect(names.length).toBeGreaterThan(10);
	const files = names.filter((name) => !existsSync(join(ROOT, folder, name)));
	expect(files.filter((name) => !existsSync(join(ROOT, folder, `${name}.test.ts`)))).toEqual([]);
});
