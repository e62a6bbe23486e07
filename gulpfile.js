const { dest, src } = require('gulp');

/** Copies what the compiler leaves behind: icons, codex files, and output schemas for the editor. */
function assets() {
	return src('nodes/**/*.{svg,json}', { encoding: false }).pipe(dest('dist/nodes'));
}

exports.default = assets;
