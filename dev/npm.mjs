import { spawn } from 'node:child_process';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Runs npm in a folder, and shows what it does and for how long: one changing line on a terminal,
 * a line every 15 seconds elsewhere. What npm prints is shown if it fails; then this rejects.
 */
export async function runNpm(title, args, folder) {
	const started = Date.now();
	let output = '';
	const collect = (chunk) => (output += chunk);
	const installs = ['ci', 'install'].includes(args[0]);
	const measure = installs ? () => packagesUnpacked(join(folder, 'node_modules')) : () => '';
	const stopProgress = showProgress(title, started, measure);
	const exit = await new Promise((resolve, reject) => {
		const npm = spawn('npm', args, { cwd: folder, shell: process.platform === 'win32' });
		npm.stdout.on('data', collect);
		npm.stderr.on('data', collect);
		npm.once('error', reject);
		npm.once('close', (code, signal) => resolve(code ?? signal));
	}).finally(stopProgress);
	if (exit === 0) {
		console.log(`${title}: done in ${seconds(started)} s`);
		return;
	}
	throw new Error(`${output}\n\n${title} failed: npm ${args.join(' ')} ended with ${exit}.`);
}

function showProgress(title, started, measure) {
	const isTerminal = process.stdout.isTTY;
	const print = (line) => process.stdout.write(isTerminal ? `\r\x1b[K${line}` : `${line}\n`);
	let isOver = false;
	const show = async () => {
		const progress = await measure();
		if (!isOver) print(`${title} ... ${seconds(started)} s${progress}`);
	};
	print(`${title} ...`);
	const timer = setInterval(() => void show(), isTerminal ? 2_000 : 15_000);
	return () => {
		isOver = true;
		clearInterval(timer);
		if (isTerminal) print('');
	};
}

/** npm makes all folders first, then fills them. */
async function packagesUnpacked(modules) {
	const names = await readdir(modules).catch(() => []);
	const folders = names.map(async (name) => {
		if (name.startsWith('.')) return [];
		if (!name.startsWith('@')) return [name];
		const scoped = await readdir(join(modules, name)).catch(() => []);
		return scoped.map((packageName) => join(name, packageName));
	});
	const packages = (await Promise.all(folders)).flat();
	const isUnpacked = async (name) =>
		await access(join(modules, name, 'package.json')).then(
			() => true,
			() => false,
		);
	const unpacked = (await Promise.all(packages.map(isUnpacked))).filter(Boolean).length;
	return packages.length === 0 ? '' : `, ${unpacked} of ${packages.length} packages unpacked`;
}

function seconds(since) {
	return Math.round((Date.now() - since) / 1_000);
}
