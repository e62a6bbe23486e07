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
// Below everything that the runs printed, where it isn't cut off.
for (const test of reports.flatMap(failures)) console.log(`FAILED ${test}`);
console.log(`${passed} passed, ${failed} failed`);
exit(failed === 0 && reports.every((report) => report.success) ? 0 : 1);

/** The name of each failed test, with the first lines of why; of each file that didn't run, its message. */
function failures({ testResults }) {
	return testResults.flatMap(({ name, message, assertionResults }) => {
		const failed = assertionResults.filter(({ status }) => status === 'failed');
		if (assertionResults.length === 0 && message) return [`${name}\n${indented(message)}`];
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
