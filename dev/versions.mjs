import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { argv, env, execPath, exit } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { install, installN8n } from './install.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const HELP = `npm run test:versions -- [flags] [version of n8n]...

Installs the newest patch of several versions of n8n, one after the other, tests the package in each,
and prints the results as a table for the README. It takes all versions unless you name some of them,
such as latest, 2.20, or 2.20.12 for exactly this patch.

  --keep   leave the installed versions in build/versions
  --help   show this`;

const VERSIONS = [
	{ n8n: '1.123', node: '24' },
	{ n8n: '2.0', node: '24' },
	{ n8n: '2.20', node: '24' },
	{ n8n: '2.39', node: '24', canWait: true },
	{ n8n: '2.41', node: '24', canWait: true },
	// What relies on n8n's internals breaks here first.
	{ n8n: 'latest', node: '26', canWait: true },
];

/** Files in test/e2e. */
const TESTS = [
	...['mainJob', 'credential', 'firstOutput', 'paidOnce', 'trigger', 'downloadFiles'],
	...['givenUpRequest', 'waitForResult/canWait', 'paidOnceAfterRestart.slow'],
];

/**
 * Need an n8n in which a waiting node can resume at each of its outputs, or with today's AI Agent.
 */
const NEWER_TESTS = [
	...['waitForResult/result', 'waitForResult/flows', 'n8nKilled', 'n8nKilled.slow'],
	...['undocumentedN8n', 'agentTool'],
	...['examples/routeDecisions', 'examples/auditFile', 'examples/waitForTheResult'],
	'examples/skipRepeatedResults',
];

/**
 * The newest versions of these can't be installed from every registry, and the package needs
 * neither.
 */
const OVERRIDES = { linkedom: '0.18.12', xlsx: '0.18.5' };

const NEEDED_BYTES = 4e9;

async function testVersions(args) {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: {
			keep: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return true;
	}
	const wanted = chosen(positionals);
	await install();
	const rows = [];
	for (const version of wanted) rows.push(await testVersion(version, values.keep));
	console.log('\n|n8n|Node.js|Wait for Result|\n|---|---|---|');
	for (const { cells } of rows) console.log(`|${cells.join('|')}|`);
	return rows.every(({ isRight }) => isRight);
}

function chosen(names) {
	if (names.length === 0) return VERSIONS;
	return names.flatMap((name) => {
		const versions = VERSIONS.filter(({ n8n }) => `${name}.`.startsWith(`${n8n}.`));
		if (versions.length > 0) return versions.map((version) => ({ ...version, n8n: name }));
		const known = [...new Set(VERSIONS.map(({ n8n }) => n8n))].join(', ');
		throw new Error(`${name} is not one of the versions ${known}.`);
	});
}

/**
 * Installs a version, runs its tests, and removes it. A version that fails doesn't end the others.
 */
async function testVersion({ n8n, node, canWait = false }, keep) {
	const name = `n8n-${n8n}-node-${node}`;
	const folder = join(root, 'build', 'versions', name);
	try {
		await prepare(folder);
		await installN8n(folder, n8n, node);
		const exactN8n = await installedVersion(folder);
		console.log(`\nTesting n8n ${exactN8n} with Node.js ${node}`);
		const report = await runTests(`build/versions/${name}`, canWait);
		const tested = canWait ? 'yes' : 'no';
		const failed = `${report.numFailedTests + report.numRuntimeErrorTestSuites} FAILED`;
		return { cells: [exactN8n, node, report.success ? tested : failed], isRight: report.success };
	} catch (error) {
		console.error(error.message);
		return { cells: [n8n, node, 'could not be tested'], isRight: false };
	} finally {
		if (!keep) await rm(folder, { recursive: true, force: true });
	}
}

async function prepare(folder) {
	await mkdir(folder, { recursive: true });
	const { bavail, bsize } = await statfs(folder);
	if (bavail * bsize < NEEDED_BYTES) {
		throw new Error(`An n8n needs ${NEEDED_BYTES / 1e9} GB of free disk at ${folder}.`);
	}
	const manifest = { name: 'n8n-runtime', private: true, overrides: OVERRIDES };
	await writeFile(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
}

async function installedVersion(folder) {
	const file = join(folder, 'node_modules', 'n8n', 'package.json');
	return JSON.parse(await readFile(file, 'utf8')).version;
}

/** Runs the tests with one n8n; returns Jest's report. */
async function runTests(folder, canWait) {
	const files = [...TESTS, ...(canWait ? NEWER_TESTS : [])];
	const reportFile = join(root, folder, 'report.json');
	const args = ['--config', 'test/e2e/jest.config.js', '--json', `--outputFile=${reportFile}`];
	// In place of the configuration's own, which leaves slow ones out.
	const testMatch = files.map((file) => `**/e2e/${file}.test.ts`);
	const jest = spawn(
		execPath,
		[join(root, 'node_modules/jest/bin/jest.js'), ...args, '--testMatch', ...testMatch],
		{
			cwd: root,
			env: { ...env, N8N_FOLDER: folder },
			// Jest shows what it does on the error output; the report is in the file.
			stdio: ['ignore', 'ignore', 'inherit'],
		},
	);
	await once(jest, 'close');
	const report = await readFile(reportFile, 'utf8').catch(() => {
		throw new Error('The tests did not get as far as a report.');
	});
	return JSON.parse(report);
}

const isRight = await testVersions(argv.slice(2)).catch(({ message }) => console.error(message));
exit(isRight ? 0 : 1);
