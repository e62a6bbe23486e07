const { readFile, writeFile } = require('node:fs/promises');
const { join } = require('node:path');

const { dest, series, src } = require('gulp');

const SCHEMAS = 'dist/nodes/IdentityVerification/__schema__';

/** Where n8n looks for the schema of a result besides Scan: at Download Files, and at the trigger. */
const SAME_AS_SCAN = ['v1.0.0/downloadFiles.json', 'v2.0.0.json'];

/** Copies what the compiler leaves behind: icons, codex files, and output schemas for the editor. */
function assets() {
	return src('nodes/**/*.{svg,json}', { encoding: false }).pipe(dest('dist/nodes'));
}

/** Writes them without indentation, to keep the package small. */
async function schemas() {
	const scan = 'v1.0.0/scan.json';
	const text = JSON.stringify(JSON.parse(await readFile(join(SCHEMAS, scan), 'utf8')));
	await Promise.all([scan, ...SAME_AS_SCAN].map((name) => writeFile(join(SCHEMAS, name), text)));
}

exports.default = series(assets, schemas);
