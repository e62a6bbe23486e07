import { execFile } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../../dev/stack/paths';
import { installTarball, packPackage } from '../../dev/stack/tarball';
import type { Tarball } from '../../dev/stack/tarball';

/** n8n's lint rules do without file names where they believe themselves tested. */
const env = { ...process.env, NODE_ENV: 'production' };

const run = promisify(execFile);

/**
 * What n8n's commands see of the repository: they lint `.`, and n8n's rules for packages can't
 * apply to `dev` and `test`.
 */
const SOURCE = ['package.json', 'eslint.config.mjs', 'tsconfig.json', 'nodes', 'credentials'];
const MODULES = join(ROOT, 'node_modules');

/** What n8n's scan of a published package looks at: the source, and what was packed. */
const SCANNED = {
	source: ['package.json', '{nodes,credentials}/**/*.{js,ts,json}'],
	packed: ['**/*.js', 'package.json'],
};

const SCHEMAS = 'dist/nodes/IdentityVerification/__schema__';
/** Besides the one of Scan, of which the build makes them. */
const RESULT_SCHEMAS = ['v1.0.0/verification/waitForResult.json', 'v2.0.0.json'].map(
	(name) => `${SCHEMAS}/${name}`,
);

let folder: string;
let source: string;
let unpacked: string;
let tarball: Tarball;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'identity-verification-publish-'));
	source = join(folder, 'source');
	for (const name of SOURCE) await cp(join(ROOT, name), join(source, name), { recursive: true });
	await symlink(MODULES, join(source, 'node_modules'));
	tarball = await packPackage(folder);
	unpacked = join(folder, 'unpacked');
	await mkdir(unpacked);
	await run('tar', ['-xzf', tarball.file, '-C', unpacked, '--strip-components=1']);
});

afterAll(async () => await rm(folder, { recursive: true, force: true }));

describe('the package', () => {
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
	});

	it('is installed as the editor does it: without development and peer dependencies', async () => {
		const installed = await installTarball(tarball, folder);
		const manifest = await readFile(join(installed, 'package.json'), 'utf8');
		expect(Object.keys(JSON.parse(manifest) as object).join()).not.toMatch(/dependencies/i);
		const [scan, ...others] = await Promise.all(
			[`${SCHEMAS}/v1.0.0/verification/scan.json`, ...RESULT_SCHEMAS].map(
				async (file) => await readFile(join(installed, file), 'utf8'),
			),
		);
		expect(others).toEqual(RESULT_SCHEMAS.map(() => scan));
	});
});

describe("n8n's own command", () => {
	const n8nNode = async (command: string) =>
		await run(join(MODULES, '.bin', 'n8n-node'), [command], { cwd: source, env });

	it('n8n-node lint has nothing to say', async () => {
		await expect(n8nNode('lint')).resolves.toBeDefined();
	});

	it('n8n-node build makes the same code that is packed', async () => {
		await n8nNode('build');
		const compiled = tarball.contents.filter((file) => file.endsWith('.js'));
		expect(compiled).toContain('dist/nodes/IdentityVerification/IdentityVerification.node.js');
		for (const file of compiled) {
			const [built, packed] = await Promise.all(
				[source, unpacked].map(async (place) => await readFile(join(place, file), 'utf8')),
			);
			expect({ [file]: packed === built }).toEqual({ [file]: true });
		}
	});
});

describe("n8n's scan of community packages", () => {
	/** The scanner is an ES module, which Jest's own modules can't load. */
	async function scan(place: string, patterns: string[]) {
		const script = `
			import { analyzePackage } from '@n8n/scan-community-package/scanner/scanner.mjs';
			const [place, patterns] = JSON.parse(process.argv[1]);
			console.log(JSON.stringify(await analyzePackage(place, patterns)));`;
		const args = ['--input-type=module', '--eval', script, JSON.stringify([place, patterns])];
		const { stdout } = await run(process.execPath, args, { cwd: ROOT, env });
		return JSON.parse(stdout) as { passed: boolean; details?: string };
	}

	it('is passed by the source', async () => {
		expect(await scan(source, SCANNED.source)).toEqual({ passed: true });
	});

	it('is passed by the packed package', async () => {
		expect(await scan(unpacked, SCANNED.packed)).toEqual({ passed: true });
	});

	it('finds what is not allowed', async () => {
		await appendFile(join(unpacked, 'dist', 'evil.js'), "require('fs'); console.log(process.env);");

		const { passed, details } = await scan(unpacked, SCANNED.packed);
		expect(passed).toBe(false);
		expect(details).toContain('no-restricted-imports');
	});
});
