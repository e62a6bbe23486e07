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
		'operations/createHostedLink',
		'waitForResult/pauseAndRequirements',
		'images/additionalFiles',
		'privacy/personalData',
	],
	'actions/createHostedLink/customData.ts': ['operations/createHostedLink'],
	'actions/downloadFiles': [
		'operations/downloadFiles',
		'operations/downloadedFileNames',
		'credential/parseUrl',
	],
	'parameters/image': [
		'images/additionalFiles',
		'operations/agentTool',
		'images/base64Text',
		'images/cutOff',
		'operations/hangingStorage',
		'images/kinds',
		'paidOnce/retryInExecutionsList',
	],
	'operations.ts': ['accept/outputs', 'operations/parameters'],
	'parameters/readParameters.ts': [
		'operations/parameters',
		'images/additionalFiles',
		'operations/createHostedLink',
		'operations/downloadFiles',
		'paidOnce/retryInExecutionsList',
		'operations/scan',
		'paidOnce/budget',
	],
	'actions/createHostedLink/qrCode.ts': ['operations/createHostedLink'],
	'actions/scan': [
		'operations/scan',
		'images/additionalFiles',
		'operations/agentTool',
		'privacy/personalData',
		'answers/failures',
	],
	'batch/runBatch.ts': [
		'operations/scanManyItems',
		'paidOnce/failureStopsTheRun',
		'paidOnce/faultOfTheNode',
		'paidOnce/stoppedExecution',
		'paidOnce/notSent',
		'accept/outputs',
		'paidOnce/retryInExecutionsList',
		'paidOnce/retryOnFail',
		'paidOnce/credentialPerItem',
		'paidOnce/budget',
		'answers/partlyUnreadable',
	],
	'batch/account.ts': ['paidOnce/account'],
	'batch/batch.ts': ['paidOnce/failureStopsTheRun', 'paidOnce/budget', 'operations/scanManyItems'],
	'batch/budget.ts': ['paidOnce/budget'],
	'batch/earlierCharge.ts': ['paidOnce/retryInExecutionsList', 'paidOnce/chargeMark'],
	'batch/failedItem.ts': [
		'paidOnce/failureStopsTheRun',
		'paidOnce/retryInExecutionsList',
		'operations/agentTool',
		'paidOnce/failedItemJson',
	],
	'batch/canceledRunLog.ts': ['paidOnce/stoppedExecution'],
	'batch/paid': [
		'operations/agentTool',
		'paidOnce/retryInExecutionsList',
		'paidOnce/retryOnFail',
		'paidOnce/failureStopsTheRun',
		'paidOnce/stoppedExecution',
		'paidOnce/retryOfVersion010',
		'paidOnce/credentialPerItem',
	],
	'batch/step.ts': [
		'paidOnce/step',
		'operations/downloadFiles',
		'paidOnce/retryInExecutionsList',
		'paidOnce/retryOnFail',
		'paidOnce/failureStopsTheRun',
		'paidOnce/notSent',
		'paidOnce/retryOfVersion010',
		'paidOnce/credentialPerItem',
		'paidOnce/budget',
	],
	'batch/runError.ts': [
		'answers/failures',
		'paidOnce/failureStopsTheRun',
		'paidOnce/retryInExecutionsList',
		'paidOnce/stoppedExecution',
	],
	contract: [
		'contract/*',
		'accept/*',
		'result/resultItem',
		'trigger/refusals',
		'trigger/partlyUnreadable',
		'answers/partlyUnreadable',
		'answers/whatHasArrived',
		'answers/limits',
		'answers/timeout',
	],
	'credential.ts': [
		'credential/*',
		'paidOnce/credentialPerItem',
		'answers/failures',
		'operations/downloadTransfer',
		'operations/downloadFiles',
	],
	'fileKind.ts': ['images/kinds', 'operations/downloadFiles'],
	'IdentityVerification.node.ts': [
		'accept/outputs',
		'operations/agentTool',
		'operations/engine2',
		'paidOnce/failureStopsTheRun',
		'waitForResult/resume',
	],
	'IdentityVerificationTrigger.node.ts': ['trigger/*'],
	n8n: [
		'waitForResult/pauseAndRequirements',
		'operations/engine2',
		'paidOnce/failureStopsTheRun',
		'operations/agentTool',
		'paidOnce/failedItemJson',
	],
	'nodejs.ts': ['credential/parseUrl', 'credential/baseUrl'],
	'operation.ts': ['answers/partlyUnreadable'],
	'parameters/sharedFields.ts': ['operations/parameters', 'operations/scan'],
	'progress.ts': ['pace/progress', 'operations/scanManyItems'],
	'result/decision.ts': ['accept/*'],
	'result/outputField.ts': ['operations/scan', 'trigger/configuration'],
	'result/outputs.ts': ['accept/outputs', 'trigger/whatStarts', 'waitForResult/resume'],
	'result/resultItem.ts': [
		'result/*',
		'accept/outputs',
		'operations/scan',
		'paidOnce/failureStopsTheRun',
		'trigger/decisionAndFields',
		'trigger/partlyUnreadable',
	],
	'transport/body.ts': [
		'answers/timeout',
		'operations/hangingStorage',
		'operations/scanManyItems',
		'operations/downloadTransfer',
	],
	'transport/call.ts': [
		'answers/failures',
		'answers/partlyUnreadable',
		'answers/status429',
		'paidOnce/failureStopsTheRun',
		'paidOnce/stoppedExecution',
		'paidOnce/notSent',
		'privacy/secrets',
		'privacy/personalData',
		'pace/inNode',
	],
	errors: [
		'answers/failures',
		'answers/partlyUnreadable',
		'answers/status429',
		'privacy/secrets',
		'paidOnce/notSent',
		'paidOnce/retryOnFail',
		'paidOnce/failureStopsTheRun',
		'paidOnce/faultOfTheNode',
		'paidOnce/budget',
		'operations/downloadFiles',
		'operations/parameters',
		'waitForResult/pauseAndRequirements',
	],
	'transport/connectionFailure.ts': ['answers/failures'],
	'transport/download.ts': [
		'operations/downloadPace',
		'operations/downloadTransfer',
		'operations/downloadFiles',
		'privacy/secrets',
	],
	'transport/exchange.ts': [
		'answers/whatHasArrived',
		'answers/limits',
		'answers/timeout',
		'operations/hangingStorage',
		'answers/failures',
		'paidOnce/failureStopsTheRun',
	],
	'transport/fileProblem.ts': ['operations/downloadFiles'],
	'transport/pace': ['pace/*', 'answers/status429'],
	'transport/request.ts': [
		'answers/failures',
		'answers/limits',
		'answers/timeout',
		'paidOnce/stoppedExecution',
	],
	'transport/requestFailure.ts': ['answers/failures', 'answers/limits', 'answers/timeout'],
	'transport/serviceText.ts': ['privacy/secrets', 'answers/failures', 'privacy/personalData'],
	'transport/storing.ts': ['operations/hangingStorage', 'operations/downloadFiles'],
	'transport/stream.ts': ['operations/downloadTransfer'],
	'transport/timer.ts': ['answers/limits', 'answers/timeout', 'operations/hangingStorage'],
	'transport/transfer.ts': [
		'answers/limits',
		'answers/timeout',
		'operations/downloadTransfer',
		'paidOnce/stoppedExecution',
	],
	trigger: ['trigger/*', 'waitForResult/trigger'],
	'delivery/address.ts': ['waitForResult/addressInCustomData'],
	'actions/waitForResult/awaitedLink.ts': ['waitForResult/pauseAndRequirements'],
	'actions/waitForResult/requirements.ts': ['waitForResult/pauseAndRequirements'],
	'delivery/secretKey.ts': ['waitForResult/addressInCustomData', 'waitForResult/delivery'],
	delivery: [
		'waitForResult/delivery',
		'waitForResult/resume',
		'waitForResult/resumeEndpoint',
		'waitForResult/trigger',
	],
	'actions/waitForResult': ['waitForResult/pauseAndRequirements', 'waitForResult/resume'],
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
