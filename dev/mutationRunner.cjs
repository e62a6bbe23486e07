const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const { default: JestRunner } = require('jest-runner');

/** The test file that noticed the last mutant. */
let noticer;

/**
 * Runs test files as Jest does, but for a mutant no more of them than it takes: Jest would also
 * load those whose tests are all left out, and Stryker can't have it stop at the first failure.
 */
module.exports = class MutationRunner extends JestRunner {
	async runTests(tests, watcher, options) {
		const { rootDir, testNamePattern } = this._globalConfig;
		// Several processes test mutants, and one of them has run all tests before.
		const namesFile = join(rootDir, 'names-of-tests.json');
		if (!testNamePattern) return await this.runAll(tests, watcher, options, namesFile);

		const pattern = new RegExp(testNamePattern, 'i');
		const names = JSON.parse(readFileSync(namesFile, 'utf8'));
		let hasFailed = false;
		this.on('test-file-success', ([{ path }, { numFailingTests, testExecError }]) => {
			if (numFailingTests === 0 && testExecError === undefined) return;
			hasFailed = true;
			noticer = path;
		});
		// Mostly, what noticed the mutant before notices this one, too. Otherwise, the quickest first.
		const rank = ({ path, duration = 0 }) => (path === noticer ? -1 : duration);
		const sorted = [...tests].sort((one, other) => rank(one) - rank(other));
		for (const test of sorted) {
			if (hasFailed) break;
			if (!names[test.path].some((name) => pattern.test(name))) continue;
			await super.runTests([test], watcher, options);
		}
	}

	async runAll(tests, watcher, options, namesFile) {
		const names = {};
		this.on('test-file-success', ([{ path }, { testResults }]) => {
			names[path] = testResults.map(({ fullName }) => fullName);
		});
		await super.runTests(tests, watcher, options);
		writeFileSync(namesFile, JSON.stringify(names));
	}
};
