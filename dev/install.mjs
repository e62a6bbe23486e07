import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { argv, exit } from 'node:process';
import { fileURLToPath } from 'node:url';

import { runNpm } from './npm.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
const persistent = ['--fetch-retries=5', ...quiet];
const ci = ['ci', '--prefer-offline', ...persistent];

const TOOLS = { folder: root, steps: [['Installing the development tools', ci]] };

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
	steps: stepsOfN8n('Installing n8n and its Node.js (2.7 GB, a few minutes)', ci),
});

/**
 * Installs what package-lock.json lists, and likewise the n8n of each folder given, unless exactly
 * that is installed.
 */
export async function install(...n8nFolders) {
	for (const { folder, steps } of [TOOLS, ...n8nFolders.map(n8nIn)]) {
		const lock = await readFile(join(folder, 'package-lock.json'), 'utf8');
		// A copy of the lock file, made when everything is done.
		const installed = join(folder, 'node_modules', '.installed-package-lock.json');
		if ((await readFile(installed, 'utf8').catch(() => undefined)) === lock) continue;
		await rm(installed, { force: true });
		await runSteps(steps, folder);
		await writeFile(installed, lock);
	}
}

/**
 * Installs the newest patch of an n8n and of a Node.js, such as 2.41 and 24, into a folder of their
 * own.
 */
export async function installN8n(folder, n8n, node) {
	const title = `Installing n8n ${n8n} and Node.js ${node} (2.7 GB, a few minutes)`;
	const args = ['install', `n8n@${n8n}`, `node@${node}`, ...persistent];
	await runSteps(stepsOfN8n(title, args), folder);
}

async function runSteps(steps, folder) {
	for (const [title, args] of steps) {
		await runNpm(title, args, folder).catch(({ message }) => {
			throw new Error(
				`${message}\nCheck the network and the free disk space, then run the command again.`,
			);
		});
	}
}

/** `node dev/install.mjs [folder of an n8n]...` */
if (argv[1] === fileURLToPath(import.meta.url)) {
	install(...argv.slice(2)).catch((error) => {
		console.error(error.message);
		exit(1);
	});
}
