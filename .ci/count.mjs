import { readFileSync } from 'node:fs';
import { argv, exit } from 'node:process';

/** `node .ci/count.mjs <jest report>...`: prints the sum; fails if a run failed or left no report. */
let passed = 0;
let failed = 0;
let isComplete = true;
for (const file of argv.slice(2)) {
	try {
		const report = JSON.parse(readFileSync(file, 'utf8'));
		passed += report.numPassedTests;
		failed += report.numFailedTests + report.numRuntimeErrorTestSuites;
		isComplete &&= report.success;
	} catch {
		console.error('A test run did not get as far as a report.');
		failed += 1;
		isComplete = false;
	}
}
console.log(`${passed} passed, ${failed} failed`);
exit(isComplete ? 0 : 1);
