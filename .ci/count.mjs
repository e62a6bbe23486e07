import { readFileSync } from 'node:fs';
import { argv, exit } from 'node:process';

/** `node .ci/count.mjs <how many> <jest report>...`: prints the sum; fails if a run failed or left no report. */
const [expected, ...files] = argv.slice(2);
const reports = files.flatMap(read);
const missing = Number(expected) - reports.length;
if (missing > 0) console.error(`${missing} test runs did not get as far as a report.`);
const sum = (count) => reports.map(count).reduce((one, other) => one + other, 0);
const passed = sum((report) => report.numPassedTests);
const failed = sum((report) => report.numFailedTests + report.numRuntimeErrorTestSuites) + missing;
console.log(`${passed} passed, ${failed} failed`);
exit(failed === 0 && reports.every((report) => report.success) ? 0 : 1);

/** Nothing where a run was ended before its report was whole. */
function read(file) {
	try {
		return [JSON.parse(readFileSync(file, 'utf8'))];
	} catch {
		return [];
	}
}
