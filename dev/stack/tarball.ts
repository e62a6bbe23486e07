import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod/v4';

import { ROOT } from './paths';

const run = promisify(execFile);

const packReport = z
	.array(
		z.object({
			name: z.string(),
			filename: z.string(),
			size: z.number(),
			unpackedSize: z.number(),
			files: z.array(z.object({ path: z.string() })),
		}),
	)
	.length(1);

/** What `npm publish` would upload. */
export interface Tarball {
	packageName: string;
	file: string;
	/** In bytes. */
	size: number;
	unpackedSize: number;
	/** Paths inside the package. */
	contents: string[];
}

/** Packs the built package into a folder, as `npm publish` would. */
export async function packPackage(folder: string): Promise<Tarball> {
	await mkdir(folder, { recursive: true });
	const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder];
	const { stdout } = await run('npm', args, { cwd: ROOT });
	const [report] = packReport.parse(JSON.parse(stdout));
	if (!report) throw new Error('npm pack reported no tarball.');
	const { name, filename, size, unpackedSize, files } = report;
	return {
		packageName: name,
		file: join(folder, filename),
		size,
		unpackedSize,
		contents: files.map(({ path }) => path).sort(),
	};
}

/**
 * Installs a tarball into an n8n user folder and gives it the shape that n8n's editor leaves: the
 * package alone, without its development and peer dependencies. n8n loads it at its next start.
 */
export async function installTarball(
	{ packageName, file }: Tarball,
	userFolder: string,
): Promise<string> {
	const folder = join(userFolder, '.n8n', 'nodes', 'node_modules', packageName);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await run('tar', ['-xzf', file, '-C', folder, '--strip-components=1']);
	const manifestFile = join(folder, 'package.json');
	const manifest = z
		.record(z.string(), z.unknown())
		.parse(JSON.parse(await readFile(manifestFile, 'utf8')));
	if (manifest.dependencies) throw new Error('n8n verifies no package that has dependencies.');
	for (const key of ['devDependencies', 'peerDependencies', 'optionalDependencies']) {
		Reflect.deleteProperty(manifest, key);
	}
	await writeFile(manifestFile, JSON.stringify(manifest, null, 2));
	return folder;
}
