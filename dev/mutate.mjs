import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { argv, chdir, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { Stryker } from '@stryker-mutator/core';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = 'nodes/IdentityVerification';

/**
 * What is measured, and its tests, a line for each room. Stryker finds which of them reach a mutant,
 * and these are run until one fails.
 */
const ROOMS = {
	'actions/createHostedLink': ['operations/*', 'waitForResult/*', 'images/*', 'privacy/*'],
	'actions/downloadFiles': ['operations/*'],
	'actions/scan': ['operations/*', 'images/*', 'privacy/*', 'answers/failures'],
	'actions/waitForResult': ['waitForResult/*'],
	batch: [
		...['paidOnce/*', 'accept/outputs', 'answers/failures', 'answers/partlyUnreadable'],
		...['operations/agentTool', 'operations/downloadFiles', 'operations/scanManyItems'],
	],
	contract: ['contract/*', 'answers/*', 'accept/*', 'result/*', 'trigger/*'],
	'credential.ts': ['credential/*', 'operations/*', 'paidOnce/credentialPerItem'],
	delivery: ['waitForResult/*'],
	errors: ['answers/*', 'paidOnce/*', 'operations/*', 'privacy/*', 'waitForResult/*'],
	'fileKind.ts': ['images/kinds', 'operations/downloadFiles'],
	'IdentityVerification.node.ts': ['accept/*', 'operations/*', 'waitForResult/*'],
	'IdentityVerificationTrigger.node.ts': ['trigger/*'],
	n8n: ['operations/*', 'waitForResult/*', 'paidOnce/failedItemJson'],
	'nodejs.ts': ['credential/*'],
	'operation.ts': ['answers/partlyUnreadable'],
	'operations.ts': ['accept/outputs', 'operations/parameters'],
	parameters: ['images/*', 'operations/*', 'paidOnce/*'],
	'progress.ts': ['operations/scanManyItems', 'pace/progress'],
	result: ['result/*', 'accept/*', 'trigger/*', 'operations/scan', 'waitForResult/*'],
	transport: ['answers/*', 'operations/*', 'pace/*', 'paidOnce/*', 'privacy/*'],
	trigger: ['trigger/*', 'trigger/fuzz.random', 'waitForResult/trigger'],
	'webhookAnswer.ts': ['trigger/*'],
};

/**
 * `node dev/mutate.mjs [--mutate <file or folder>,...]`; see CONTRIBUTING.md. `--list` prints the
 * rooms as JSON.
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
		console.log(JSON.stringify(Object.keys(ROOMS).map((room) => join(SOURCES, room))));
	} else {
		const doubts = await mutateAll(mutate.split(','), options).catch(({ message }) => [message]);
		for (const doubt of doubts) console.error(doubt);
		exit(doubts.length > 0 ? 1 : 0);
	}
}

/** Measures the files, room by room, and returns why results can't be trusted. */
async function mutateAll(wanted, options) {
	const selected = new Map();
	for (const pattern of wanted) {
		const chosen = filesOfRooms().filter(({ file }) => isIn(file, pathOf(pattern)));
		if (chosen.length === 0) throw new Error(`No room has ${pattern}: see ROOMS in dev/mutate.mjs`);
		for (const { file, room } of chosen) {
			// Lines, as in `receive.ts:40-50`, are kept.
			const target = file + pattern.slice(pathOf(pattern).length);
			selected.set(room, [...(selected.get(room) ?? []), target]);
		}
	}
	const doubts = [];
	for (const [room, files] of selected) doubts.push(...(await mutateRoom(room, files, options)));
	return doubts;
}

/** What is measured, with the room that each file belongs to. */
function filesOfRooms() {
	return readdirSync(SOURCES, { recursive: true }).flatMap((name) => {
		const room = Object.keys(ROOMS).find((path) => isIn(name, path));
		return room && name.endsWith('.ts') ? [{ file: join(SOURCES, name), room }] : [];
	});
}

function isIn(file, path) {
	return `${file}/`.startsWith(`${path.replace(/\/+$/, '')}/`);
}

function pathOf(pattern) {
	return pattern.replace(/:\d+(:\d+)?-\d+(:\d+)?$/, '');
}

async function mutateRoom(room, mutate, { concurrency, ...options }) {
	const report = `reports/mutation/${room.replace(/\.ts$/, '').replaceAll('/', '-')}`;
	console.log(`${room}: ${mutate.join(', ')}`);
	const results = await new Stryker({
		...options,
		...(concurrency && { concurrency: Number(concurrency) }),
		mutate,
		testRunner: 'jest',
		jest: {
			config: {
				// What is random, or measures time or memory, says nothing of a mutant.
				testMatch: ROOMS[room].map(
					(test) => `<rootDir>/test/${test.replace('*', '!(*.random|measured|memory)')}.test.ts`,
				),
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
