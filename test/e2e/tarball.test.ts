import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installTarball, packPackage } from '../../dev/stack/tarball';
import type { Tarball } from '../../dev/stack/tarball';
import { ROOT } from '../../dev/stack/paths';

const SCHEMAS = 'dist/nodes/IdentityVerification/__schema__';
/** Besides the one of Scan, of which the build makes them. */
const RESULT_SCHEMAS = ['v1.0.0/verification/waitForResult.json', 'v2.0.0.json'].map(
	(name) => `${SCHEMAS}/${name}`,
);

describe('the package that is published', () => {
	let folder: string;
	let tarball: Tarball;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'identity-verification-pack-'));
		tarball = await packPackage(folder);
	});

	afterAll(async () => await rm(folder, { recursive: true, force: true }));

	it('holds the compiled sources, icons and codex files, and nothing else', async () => {
		const sources = await Promise.all(
			['credentials', 'nodes'].map(async (part) => {
				const entries = await readdir(join(ROOT, part), { recursive: true, withFileTypes: true });
				return entries
					.filter((entry) => entry.isFile())
					.map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1));
			}),
		);
		const compiled = sources.flat().map((file) => `dist/${file.replace(/\.ts$/, '.js')}`);
		const expected = ['LICENSE', 'README.md', 'package.json', ...RESULT_SCHEMAS, ...compiled];
		expect(tarball.contents).toEqual(expected.sort());
		expect(tarball.contents.filter((file) => !/\.(js|svg|json|md)$/.test(file))).toEqual([
			'LICENSE',
		]);
	});

	it('is installed as the editor does it: without development and peer dependencies', async () => {
		const installed = await installTarball(tarball, folder);
		const manifest = await readFile(join(installed, 'package.json'), 'utf8');
		expect(Object.keys(JSON.parse(manifest) as object)).not.toEqual(
			expect.arrayContaining([expect.stringMatching(/dependencies/i)]),
		);
		const [scan, ...others] = await Promise.all(
			[`${SCHEMAS}/v1.0.0/verification/scan.json`, ...RESULT_SCHEMAS].map(
				async (file) => await readFile(join(installed, file), 'utf8'),
			),
		);
		expect(others).toEqual(RESULT_SCHEMAS.map(() => scan));
		expect((await readdir(installed)).sort()).toEqual(
			expect.arrayContaining(['dist', 'package.json']),
		);
	});
});
