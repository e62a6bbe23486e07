const { copyFile, rm } = require('node:fs/promises');
const { join } = require('node:path');

const { dest, series, src } = require('gulp');

const SCHEMAS = 'dist/nodes/IdentityVerification/__schema__';

/**
 * The schema of a result, and where else n8n looks for it: at Wait for Result, and at the trigger, where the editor offers
 * no fields in advance, but n8n's assistant reads it.
 */
const RESULT_SCHEMA = 'v1.0.0/verification/scan.json';
const SAME_AS_SCAN = ['v1.0.0/verification/waitForResult.json', 'v2.0.0.json'];

/** Copies what the compiler leaves behind: icons, codex files, and output schemas for the editor. */
function assets() {
	return src('nodes/**/*.{svg,json}', { encoding: false }).pipe(dest('dist/nodes'));
}

/** Copies the schema of a result to the other places, so that the source has it once. */
async function schemas() {
	for (const name of SAME_AS_SCAN) {
		await copyFile(join(SCHEMAS, RESULT_SCHEMA), join(SCHEMAS, name));
	}
}

/** Nothing of an earlier build stays. */
exports.clean = async () => await rm('dist', { recursive: true, force: true });

exports.default = series(assets, schemas);
