import { readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

import { runNpm } from './npm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = ['credentials', 'nodes'];
const SETTINGS = ['package.json', 'tsconfig.json', 'gulpfile.js'];

/** Builds the package, unless dist holds exactly what the sources give and is newer. */
export async function build() {
	if (await isBuilt()) return;
	await runNpm('Building the package', ['run', '--silent', 'build'], root);
}

async function isBuilt() {
	const sources = await filesIn(root, SOURCES);
	const wanted = sources.map((file) => file.replace(/\.ts$/, '.js')).sort();
	const built = await filesIn(join(root, 'dist'), SOURCES);
	// Some schemas are copies that only the build makes.
	const own = built.filter((file) => wanted.includes(file) || !file.includes('__schema__'));
	if (wanted.join() !== own.sort().join()) return false;
	const newest = Math.max(...(await changeTimes(root, [...sources, ...SETTINGS])));
	const oldest = Math.min(...(await changeTimes(join(root, 'dist'), built)));
	return oldest > newest;
}

async function filesIn(folder, parts) {
	const lists = parts.map(async (part) => {
		const options = { recursive: true, withFileTypes: true };
		const entries = await readdir(join(folder, part), options).catch(() => []);
		return entries
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath ?? entry.path, entry.name))
			.map((path) => path.slice(folder.length + 1));
	});
	return (await Promise.all(lists)).flat();
}

/** When each file was put in its place. Copies keep their source's modification time. */
async function changeTimes(folder, files) {
	return await Promise.all(files.map(async (file) => (await stat(join(folder, file))).ctimeMs));
}

/** `node dev/build.mjs` */
if (argv[1] === fileURLToPath(import.meta.url)) {
	build().catch((error) => {
		console.error(error.message);
		exit(1);
	});
}
