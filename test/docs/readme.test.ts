import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import actionCodex from '../../nodes/IdentityVerification/IdentityVerification.node.json';
import triggerCodex from '../../nodes/IdentityVerification/IdentityVerificationTrigger.node.json';
import { IdentityVerificationApi } from '../../credentials/IdentityVerificationApi.credentials';
import { MODES } from '../../nodes/IdentityVerification/contract/vocabulary';
import { MIN_N8N_VERSION } from '../../nodes/IdentityVerification/n8n/thisN8n';
import { credentialFields, optionNames } from '../kit/n8n/editorLabels';
import { readDocument, tableRows } from '../kit/markdown';

const ROOT = join(__dirname, '..', '..');

/** As much as somebody reads before the first result. */
const MAX_LINES = 175;
const MAX_WORDS = 1_600;
const MAX_BYTES = 12_000;
/** What n8n's library gets, and not a use case. */
const NO_EXAMPLES = ['templates'];

const readme = readDocument('README.md');

/** Text below a heading, up to the next one of the same level. */
function section(heading: string): string {
	return new RegExp(`^## ${heading}\\n([^]*?)(?=^## |(?![^]))`, 'm').exec(readme.text)?.[1] ?? '';
}

it('is short', () => {
	expect(readme.text.split('\n').length).toBeLessThan(MAX_LINES);
	expect(readme.text.split(/\s+/).length).toBeLessThan(MAX_WORDS);
	expect(Buffer.byteLength(readme.text)).toBeLessThan(MAX_BYTES);
});

it('lists each example once', () => {
	const rows = tableRows(readme, 'What do you want to do?', 'Example');
	const listed = rows.flatMap((cells) =>
		[...cells.join().matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link),
	);
	const folders = readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
		.filter((entry) => entry.isDirectory() && !NO_EXAMPLES.includes(entry.name))
		.map(({ name }) => `examples/${name}`);
	expect(listed.sort()).toEqual(folders.sort());
});

it('lists the examples in four groups, and the README of their folder links to the list', () => {
	const rows = tableRows(readme, 'What do you want to do?', 'Example');
	expect(rows.filter(([, example]) => !example)).toHaveLength(4);
	expect(readDocument('examples/README.md').links).toContain(
		'../README.md#which-example-do-i-need',
	);
});

it('sets every field of the credential whose default would not do', () => {
	const steps = section('Credential');
	const empty = credentialFields.filter(
		({ displayOptions, default: value }) => !displayOptions && !value,
	);
	expect(empty).toHaveLength(4);
	for (const { displayName } of empty) expect(steps).toContain(`**${displayName}**`);
});

it('names the version that Wait for Result needs', () => {
	expect(section('Installation')).toContain(`Wait for Result needs ${MIN_N8N_VERSION} or newer`);
});

it('installs with npm as the editor does, without peer dependencies', () => {
	const { text } = readDocument('docs/running.md');
	const commands = `${readme.text}${text}`.match(/npm install [^\n`]*/g) ?? [];
	expect(commands).toHaveLength(2);
	for (const command of commands) {
		expect(command).toMatch(/ --prefix \S+\/nodes --omit=peer n8n-nodes-identity-verification$/);
	}
});

it('lists the operations', () => {
	expect(
		tableRows(readme, 'Operation')
			.map(([name]) => name)
			.sort(),
	).toEqual(optionNames('operation').sort());
});

it('names the credits of the modes', () => {
	const [, , credits = ''] = tableRows(readme, 'Operation').find(
		([name]) => name === 'Create Hosted Link',
	) as string[];
	const [expensive, ...others] = MODES.filter((mode) => mode.credits > 1);
	expect(others).toEqual([]);
	expect(credits).toBe(
		`${expensive?.credits} for the mode ${expensive?.checks}, 1 for any other mode`,
	);
	expect(MODES.filter((mode) => mode.credits !== 1)).toEqual([expensive]);
});

it('has the headings that the editor links to', () => {
	const addresses = [
		new IdentityVerificationApi().documentationUrl,
		...[actionCodex, triggerCodex].flatMap(({ resources }) =>
			Object.values(resources).flatMap((links) => links.map(({ url }) => url)),
		),
	];
	const anchors = addresses.map((address) => new URL(address).hash.slice(1));
	expect(anchors).toHaveLength(5);
	expect(anchors.filter((anchor) => !readme.anchors.includes(anchor))).toEqual([]);
});
