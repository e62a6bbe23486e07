import { readFileSync } from 'node:fs';
import { argv, cwd, exit } from 'node:process';
import { relative } from 'node:path';

const SLOWEST = 15;

/**
 * `node .ci/count.mjs <how many> <jest report>...`: prints the slowest test files and the sum; fails
 * if a run failed or left no report.
 */
const [expected, ...files] = argv.slice(2);
const reports = files.flatMap(read);
const missing = Number(expected) - reports.length;
if (missing > 0) console.error(`${missing} test runs did not get as far as a report.`);
const sum = (count) => reports.map(count).reduce((one, other) => one + other, 0);
const passed = sum((report) => report.numPassedTests);
const failed = sum((report) => report.numFailedTests + report.numRuntimeErrorTestSuites) + missing;
console.log(`The ${SLOWEST} slowest test files, in seconds:`);
for (const line of slowest()) console.log(line);
// Below everything that the runs printed, where it isn't cut off.
for (const test of reports.flatMap(failures)) console.log(`FAILED ${test}`);
console.log(`${passed} passed, ${failed} failed`);
exit(failed === 0 && reports.every((report) => report.success) ? 0 : 1);

/** The slowest test files of all runs, a line each. */
function slowest() {
	return reports
		.flatMap(({ testResults }) => testResults)
		.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 }))
		.sort((one, other) => other.seconds - one.seconds)
		.slice(0, SLOWEST)
		.map(({ name, seconds }) => `${seconds.toFixed(0).padStart(5)}  ${relative(cwd(), name)}`);
}

/** The name of each failed test, with the first lines of why; of a file that failed otherwise, its own. */
function failures({ testResults }) {
	return testResults.flatMap(({ name, status, message, assertionResults }) => {
		const failed = assertionResults.filter((test) => test.status === 'failed');
		// Such as a file that didn't load, or an afterAll that failed.
		if (status === 'failed' && failed.length === 0) return [`${name}\n${indented(message)}`];
		return failed.map(
			({ fullName, failureMessages }) => `${fullName}\n${indented(failureMessages.join('\n'))}`,
		);
	});
}

function indented(text) {
	const shown = text.split('\n').slice(0, 15);
	return shown.map((line) => `  ${line}`).join('\n');
}

/** Nothing where a run was ended before its report was whole. */
function read(file) {
	try {
		return [JSON.parse(readFileSync(file, 'utf8'))];
	} catch {
		return [];
	}
}
