import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { argv, chdir, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Stryker } from '@stryker-mutator/core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = 'nodes/IdentityVerification';

/**
 * What is measured, and its tests: the subject's own alone. All that reach a mutant are run for it,
 * and their files take a second each to load, most with n8n's engine. What has no part isn't
 * measured.
 */
const PARTS = {
	'actions/createHostedLink/createHostedLink.operation.ts': [
		'actions/createHostedLink',
		'actions/waiting',
		'actions/additionalFiles',
		'actions/privacy',
	],
	'actions/createHostedLink/customData.ts': ['actions/createHostedLink'],
	'actions/downloadFiles': ['actions/downloadFiles', 'actions/fileNames'],
	'parameters/image': [
		'actions/additionalFiles',
		'actions/agentTool',
		'actions/base64Text',
		'actions/cutOffImages',
		'actions/hangingStorage',
		'actions/imageKinds',
		'actions/retryInList',
	],
	'operations.ts': ['actions/branches', 'unit/parameters'],
	'parameters/readParameters.ts': [
		'unit/parameters',
		'actions/additionalFiles',
		'actions/createHostedLink',
		'actions/downloadFiles',
		'actions/retryInList',
		'actions/scan',
	],
	'actions/createHostedLink/qrCode.ts': ['actions/createHostedLink'],
	'actions/scan': [
		'actions/scan',
		'actions/scanSummary',
		'actions/additionalFiles',
		'actions/agentTool',
		'actions/privacy',
	],
	'batch/batch.ts': [
		'actions/scanItems',
		'actions/scanSummary',
		'actions/stopping',
		'actions/cancel',
		'actions/unsent',
		'actions/branches',
		'actions/retryInList',
		'actions/retryOnFail',
		'actions/credentialPerItem',
		'actions/lenientAnswers',
	],
	'batch/failedItem.ts': ['actions/stopping', 'actions/retryInList', 'actions/agentTool'],
	'batch/canceledRunLog.ts': ['actions/cancel'],
	'batch/whatN8nStores.ts': ['actions/stopping', 'actions/olderN8n', 'actions/agentTool'],
	'batch/paid': [
		'actions/retryInList',
		'actions/retryOnFail',
		'actions/stopping',
		'actions/cancel',
		'actions/storedExecution',
		'actions/olderN8n',
		'actions/credentialPerItem',
	],
	'batch/step.ts': [
		'unit/batch/step',
		'actions/retryInList',
		'actions/retryOnFail',
		'actions/stopping',
		'actions/unsent',
		'actions/storedExecution',
		'actions/credentialPerItem',
	],
	'batch/runError.ts': [
		'actions/serviceFailures',
		'actions/stopping',
		'actions/retryInList',
		'actions/cancel',
	],
	contract: [
		'unit/contract/*',
		'unit/parseUrl',
		'unit/result/resultItem',
		'trigger/refusals',
		'trigger/unreadable',
		'actions/lenientAnswers',
		'actions/answerLimits',
	],
	'credential.ts': ['credential/*', 'actions/credentialPerItem'],
	'fileHosts.ts': ['actions/fileTransfer', 'actions/downloadFiles'],
	'IdentityVerification.node.ts': [
		'actions/branches',
		'actions/agentTool',
		'actions/stopping',
		'actions/waitForResult',
	],
	'IdentityVerificationTrigger.node.ts': ['trigger/*'],
	'result/outputs.ts': ['actions/branches', 'trigger/inEngine', 'actions/waitForResult'],
	'result/resultItem.ts': [
		'unit/result/resultItem',
		'actions/scan',
		'actions/stopping',
		'trigger/unreadable',
	],
	'transport/body.ts': ['actions/hangingStorage', 'actions/scanItems', 'actions/fileTransfer'],
	'transport/call.ts': [
		'actions/serviceFailures',
		'actions/lenientAnswers',
		'actions/tooManyRequests',
		'actions/stopping',
		'actions/cancel',
		'actions/unsent',
		'actions/secrecy',
		'actions/privacy',
	],
	errors: [
		'actions/serviceFailures',
		'actions/lenientAnswers',
		'actions/tooManyRequests',
		'actions/secrecy',
		'actions/unsent',
		'actions/retryOnFail',
		'actions/downloadFiles',
	],
	'transport/connectionFailure.ts': ['actions/serviceFailures'],
	'transport/download.ts': ['actions/fileTransfer', 'actions/downloadFiles', 'actions/secrecy'],
	'transport/exchange.ts': [
		'actions/answerLimits',
		'actions/hangingStorage',
		'actions/serviceFailures',
		'actions/stopping',
	],
	'transport/pace': ['unit/pace/*', 'actions/pace'],
	'transport/request.ts': ['actions/serviceFailures', 'actions/answerLimits', 'actions/cancel'],
	'transport/requestFailure.ts': ['actions/serviceFailures', 'actions/answerLimits'],
	'transport/serviceText.ts': ['actions/secrecy', 'actions/serviceFailures', 'actions/privacy'],
	'transport/transfer.ts': ['actions/answerLimits', 'actions/fileTransfer', 'actions/cancel'],
	trigger: ['trigger/*'],
	'delivery/address.ts': ['unit/waitingAddress'],
	'actions/waitForResult/awaitedLink.ts': ['actions/waiting'],
	'actions/waitForResult/otherNodes.ts': ['actions/waiting'],
	'actions/waitForResult/requirements.ts': ['actions/waiting'],
	'delivery/secretKey.ts': ['unit/waitingAddress', 'unit/delivery'],
	delivery: ['unit/delivery', 'actions/waitForResult', 'trigger/awaited'],
	'actions/waitForResult': ['actions/waiting', 'actions/waitForResult'],
	'webhookAnswer.ts': ['trigger/refusalLog', 'trigger/refusals'],
};

/**
 * `node dev/mutate.mjs [--mutate <file or folder>,...]`; see CONTRIBUTING.md. `--list` prints the
 * parts as JSON.
 */
if (argv[1] === fileURLToPath(import.meta.url)) {
	const { values } = parseArgs({
		options: {
			mutate: { type: 'string', default: SOURCES },
			incremental: { type: 'boolean' },
			force: { type: 'boolean' },
			concurrency: { type: 'string' },
			list: { type: 'boolean' },
		},
	});
	const { mutate, list, ...options } = values;
	chdir(root);
	if (list) {
		console.log(JSON.stringify(Object.keys(PARTS).map((part) => join(SOURCES, part))));
	} else {
		const doubts = await mutateAll(mutate.split(','), options).catch(({ message }) => [message]);
		for (const doubt of doubts) console.error(doubt);
		exit(doubts.length > 0 ? 1 : 0);
	}
}

/** Measures the files, part by part, and returns why results can't be trusted. */
async function mutateAll(wanted, options) {
	const selected = new Map();
	for (const pattern of wanted) {
		const chosen = filesOfParts().filter(({ file }) => isIn(file, pathOf(pattern)));
		if (chosen.length === 0) throw new Error(`No part has ${pattern}: see PARTS in dev/mutate.mjs`);
		for (const { file, part } of chosen) {
			// Lines, as in `receive.ts:40-50`, are kept.
			const target = file + pattern.slice(pathOf(pattern).length);
			selected.set(part, [...(selected.get(part) ?? []), target]);
		}
	}
	const doubts = [];
	for (const [part, files] of selected) doubts.push(...(await mutatePart(part, files, options)));
	return doubts;
}

/** What is measured, with the part that each file belongs to. */
function filesOfParts() {
	return readdirSync(SOURCES, { recursive: true }).flatMap((name) => {
		const part = Object.keys(PARTS).find((path) => isIn(name, path));
		return part && name.endsWith('.ts') ? [{ file: join(SOURCES, name), part }] : [];
	});
}

function isIn(file, path) {
	return `${file}/`.startsWith(`${path.replace(/\/+$/, '')}/`);
}

function pathOf(pattern) {
	return pattern.replace(/:\d+(:\d+)?-\d+(:\d+)?$/, '');
}

async function mutatePart(part, mutate, { concurrency, ...options }) {
	const report = `reports/mutation/${part.replace(/\.ts$/, '').replaceAll('/', '-')}`;
	console.log(`${part}: ${mutate.join(', ')}`);
	const results = await new Stryker({
		...options,
		...(concurrency && { concurrency: Number(concurrency) }),
		mutate,
		testRunner: 'jest',
		jest: {
			config: {
				testMatch: PARTS[part].map((test) => `<rootDir>/test/${test}.test.ts`),
				runner: '<rootDir>/dev/mutationRunner.cjs',
			},
			// Jest looks for tests that import a file only through files in its roots. Ours have only
			// tests, and Stryker adds the mutated file's folder: for what the node imports, Jest would
			// find none and pass.
			enableFindRelatedTests: false,
		},
		coverageAnalysis: 'perTest',
		// What runs while a file is loaded, such as a description, would need all tests for each
		// mutant.
		ignoreStatic: true,
		dryRunTimeoutMinutes: 30,
		// A mutant that takes too long counts as noticed, and on a busy machine, any test can take
		// long.
		timeoutMS: 20_000,
		// A process keeps some of what each run has loaded: after a hundred, 2 GB.
		maxTestRunnerReuse: 50,
		incrementalFile: `${report}.incremental.json`,
		reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
		clearTextReporter: { logTests: false, reportTests: false, allowEmojis: false },
		htmlReporter: { fileName: `${report}.html` },
		jsonReporter: { fileName: `${report}.json` },
		ignorePatterns: ['/dist', '/build', '/coverage', '/.n8n-dev'],
		allowConsoleColors: false,
	}).runMutationTest();
	return doubtsAbout(results);
}

/**
 * A mutant also survives where its tests don't run, or don't run it: that looks like bad tests.
 * Then a score means nothing.
 */
function doubtsAbout(results) {
	const unrun = results.filter(
		({ status, coveredBy = [], testsCompleted = 0 }) =>
			status === 'Survived' && testsCompleted < coveredBy.length,
	);
	const doubts = unrun.map(
		({ fileName, location, coveredBy, testsCompleted }) =>
			`${relative(root, fileName)}:${location.start.line}: of ${coveredBy.length} tests, only ${testsCompleted ?? 0} ran`,
	);
	if (results.length === 0) doubts.push('there was no mutant');
	for (const file of new Set(results.map(({ fileName }) => fileName))) {
		const tested = results.filter(
			({ fileName, status }) =>
				fileName === file && ['Killed', 'Timeout', 'Survived'].includes(status),
		);
		if (tested.length > 1 && tested.every(({ status }) => status === 'Survived')) {
			doubts.push(`${relative(root, file)}: not one of ${tested.length} mutants was noticed`);
		}
	}
	return doubts.map((doubt) => `Not to be believed: ${doubt}`);
}
