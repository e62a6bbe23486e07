import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

import { runNpm } from './npm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
const persistent = ['--fetch-retries=5', ...quiet];
const ci = ['ci', ...persistent];

const TOOLS = {
	folder: root,
	steps: [['Installing the development tools', ci]],
	files: [],
};

// n8n's install scripts ask for binaries that it doesn't need here; these two are needed.
// npm hands the top folder's ignore-scripts setting down to its children, so it's undone.
const stepsOfN8n = (title, args) => [
	[title, [...args, '--ignore-scripts']],
	[
		'Building what n8n needs of native code',
		['rebuild', 'node', 'sqlite3', '--ignore-scripts=false', ...quiet],
	],
];

const n8nIn = (folder) => ({
	folder: join(root, folder),
	steps: stepsOfN8n('Installing n8n and its Node.js (2.7 GB)', ci),
	files: ['node/bin/node', 'sqlite3/build/Release/node_sqlite3.node'],
});

/**
 * Installs anything missing that package-lock.json lists, and likewise the n8n of each folder
 * given.
 */
export async function install(...n8nFolders) {
	for (const { folder, steps, files } of [TOOLS, ...n8nFolders.map(n8nIn)]) {
		const isBuilt = files.every((file) => existsSync(join(folder, 'node_modules', file)));
		if (isBuilt && (await matchesLock(folder))) continue;
		await runSteps(steps, folder);
	}
}

/**
 * Installs the newest patch of an n8n and of a Node.js, such as 2.41 and 24, into a folder of their
 * own.
 */
export async function installN8n(folder, n8n, node) {
	const title = `Installing n8n ${n8n} and Node.js ${node} (2.7 GB)`;
	const args = ['install', `n8n@${n8n}`, `node@${node}`, ...persistent];
	await runSteps(stepsOfN8n(title, args), folder);
}

async function runSteps(steps, folder) {
	for (const [title, args] of steps) await runTwice(title, args, folder).catch(explain);
}

/** A second try, because a download can break off. */
async function runTwice(title, args, folder) {
	await runNpm(title, args, folder).catch(async ({ message }) => {
		console.log(`${message.split('\n').at(-1)} Trying it once more.`);
		await runNpm(title, args, folder);
	});
}

function explain({ message }) {
	throw new Error(
		`${message}\nCheck the network and the free disk space, then run the command again.`,
	);
}

/** Compares the lock file with the copy that npm leaves in node_modules when it's done. */
async function matchesLock(folder) {
	const [wanted, installed] = await Promise.all([
		packagesOf(join(folder, 'package-lock.json')),
		packagesOf(join(folder, 'node_modules', '.package-lock.json')).catch(() => undefined),
	]);
	if (!installed) return false;
	const isThere = (path) =>
		installed[path]
			? installed[path].version === wanted[path].version &&
				installed[path].integrity === wanted[path].integrity
			: path === '' || wanted[path].optional || wanted[path].devOptional;
	return Object.keys(wanted).every(isThere) && Object.keys(installed).every((path) => wanted[path]);
}

async function packagesOf(lockFile) {
	return JSON.parse(await readFile(lockFile, 'utf8')).packages;
}

/** `node dev/install.mjs [folder of an n8n]...` */
if (argv[1] === fileURLToPath(import.meta.url)) {
	install(...argv.slice(2)).catch((error) => {
		console.error(error.message);
		exit(1);
	});
}
