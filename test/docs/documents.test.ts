import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import manifest from '../../package.json';
import { documents, readDocument } from '../kit/markdown';

const ROOT = join(__dirname, '..', '..');

const NPM_OWN = ['ci', 'install', 'pack', 'publish', 'uninstall', 'version'];

describe.each(documents().map((document) => [document.file, document] as const))(
	'%s',
	(file, { text, prose, blocks, links, anchors }) => {
		it('names npm commands that exist', () => {
			const code = [...blocks.map(({ content }) => content), ...(prose.match(/`[^`]+`/g) ?? [])];
			const commands = [...code.join('\n').matchAll(/\bnpm (run )?([a-z][\w:-]*)/g)];
			for (const [, run, name = ''] of commands) {
				const isKnown = name in manifest.scripts || (!run && NPM_OWN.includes(name));
				expect({ [name]: isKnown }).toEqual({ [name]: true });
			}
		});

		it('has JSON that can be read', () => {
			for (const { language, content } of blocks) {
				if (language === 'json') expect(() => JSON.parse(content) as unknown).not.toThrow();
			}
		});

		it('links to files and headings that exist', () => {
			const missing = links.filter((link) => {
				if (/^(https?|mailto):/.test(link)) return false;
				const [path = '', anchor] = link.split('#');
				const target = join(dirname(file), path);
				if (!existsSync(join(ROOT, target))) return true;
				if (!anchor) return false;
				return !(path ? readDocument(target).anchors : anchors).includes(anchor);
			});
			expect(missing).toEqual([]);
		});

		it('has no section without text', () => {
			const sections = text.replace(/<!--[^]*?-->/g, '').split(/^(?=#{1,6} )/m);
			const isEmpty = (section: string, index: number) =>
				/^#+ .*\s*$/.test(section) && depth(sections[index + 1] ?? '') <= depth(section);
			expect(sections.filter(isEmpty)).toEqual([]);
		});
	},
);

it.each([
	['docs/interface.md', 50],
	['docs/architecture.md', 4],
])('comments name parts of %s that exist', (file, least) => {
	const { anchors } = readDocument(file);
	const name = basename(file).replace('.', '\\.');
	const sources = ['dev/sandbox', 'nodes', 'test'].flatMap((folder) =>
		readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((name) => name.endsWith('.ts'))
			.map((name) => readFileSync(join(ROOT, folder, name), 'utf8')),
	);
	const named = sources.flatMap((source) =>
		[...source.matchAll(new RegExp(`${name}#([a-z0-9-]+)`, 'g'))].map(([, anchor = '']) => anchor),
	);
	expect(named.length).toBeGreaterThan(least);
	expect(named.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
});

/** Level of the heading that a section begins with. */
function depth(section: string): number {
	return /^#*/.exec(section)?.[0].length ?? 0;
}
