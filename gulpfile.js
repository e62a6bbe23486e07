const { readFile, readdir, rm, writeFile } = require('node:fs/promises');
const { join } = require('node:path');

const { dest, series, src } = require('gulp');
const prettier = require('prettier');

const SCHEMAS = 'dist/nodes/IdentityVerification/__schema__';

/** Where n8n looks for the schema of a result besides Scan: at Wait for Result, and at the trigger. */
const SAME_AS_SCAN = ['v1.0.0/verification/waitForResult.json', 'v2.0.0.json'];

/** Copies what the compiler leaves behind: icons, codex files, and output schemas for the editor. */
function assets() {
	return src('nodes/**/*.{svg,json}', { encoding: false }).pipe(dest('dist/nodes'));
}

/** Writes them without indentation, to keep the package small. */
async function schemas() {
	const scan = 'v1.0.0/verification/scan.json';
	const text = JSON.stringify(JSON.parse(await readFile(join(SCHEMAS, scan), 'utf8')));
	await Promise.all([scan, ...SAME_AS_SCAN].map((name) => writeFile(join(SCHEMAS, name), text)));
}

/** Formats the compiled code as the source: it reads as well, and is a tenth smaller. */
async function scripts() {
	const options = await prettier.resolveConfig(__filename);
	const names = (await readdir('dist', { recursive: true })).filter((name) => name.endsWith('.js'));
	const format = async (file) =>
		await writeFile(
			file,
			await prettier.format(await readFile(file, 'utf8'), { ...options, filepath: file }),
		);
	await Promise.all(names.map(async (name) => await format(join('dist', name))));
}

/** Nothing of an earlier build stays. */
exports.clean = async () => await rm('dist', { recursive: true, force: true });

exports.default = series(assets, schemas, scripts);
