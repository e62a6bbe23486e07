import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import * as ts from 'typescript';

import { idInText } from '../../nodes/IdentityVerification/contract/ids';
import { splitAddress } from '../../nodes/IdentityVerification/delivery/address';
import { holdsSecret } from '../../nodes/IdentityVerification/errors/secrets';

// No text that a stranger sends may hold n8n up, and a regular expression can take the square of its
// length. So each one of the package is listed here, with the texts on which it takes longest, and
// whoever writes a new one thinks about that.

const LENGTH = 1_000_000;
/** A linear one takes at most 100 ms on a quiet machine, and a square would take minutes. */
const MAX_MS = 400;

/** It meets only the package's own text, n8n's, or what the user has set. */
const OWN = 'own';

/** `start`, then `repeated` up to a million characters, then `end`. */
const long = (repeated: string, start = '', end = '') =>
	start + repeated.repeat(LENGTH / repeated.length) + end;

/** Texts on which a literal takes longest, by its source. */
const LITERALS: Record<string, string[] | typeof OWN> = {
	['/secret/i']: [long('secre')],
	[String.raw`/[^\p{L}\p{N}]+/gu`]: [long('-'), long('-a')],
	[String.raw`/[^\s\-./_]{24}|[%&\\]/`]: [long(`${'a'.repeat(23)} `), long('-')],
	[String.raw`/(?<![. ])[. ]+$/`]: [long('.', '', 'x'), long('. x')],
	[String.raw`/^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i`]: [long('con')],
	[String.raw`/^[. ]+/`]: [long('.', '', 'x')],
	[String.raw`/[^\p{L}\p{M}\p{N} ._()-]|\p{DI}/gu`]: [long('/'), long('/a')],
	[String.raw`/([:[,]\s*)-?(?:NaN|Infinity)(?=\s*[,\]}])/g`]: [
		...[long(' ', ','), long(', '), long('NaN', ','), long(',NaN'), long(' ', ',NaN', 'x')],
	],
	[String.raw`/^-?\d{1,15}(\.\d+)?$/`]: [long('1'), long('1', '1.', 'x')],
	[String.raw`/^https?:\/\//i`]: [long('http')],
	[String.raw`/\d/`]: [long('a')],
	[String.raw`/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{DI}\u2800\ufffd]/u`]: [long('a')],
	[String.raw`/[\p{L}\p{N}]/u`]: [long('-'), long('🙂')],
	[String.raw`/^(null|none|nil|nan|n\/a|#[^1-9]*)$/i`]: [long('#'), long('#', '', '1')],
	[String.raw`/^(filesystem|filesystem-v2|s3|azure|database)(:|$)/`]: [long('s3')],
	[String.raw`/\.[a-z0-9]{1,10}$/i`]: [long('.aaaaaaaaa', '', '!'), long('.')],
	[String.raw`/[\\/]/`]: [long('a')],
	[String.raw`/^[a-z]\w{0,63}$/i`]: [long('a')],
	[String.raw`/[A-Z]/g`]: OWN,
	[String.raw`/^dob\b|\bId$/`]: OWN,
	[String.raw`/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/`]: [long('A')],
	[String.raw`/^\d+$/`]: [long('1', '', 'x')],
	[String.raw`/\S/`]: [long(' ')],
	[String.raw`/^[\w.:/-]{1,64}$/`]: [long('a')],
	[String.raw`/^https?:/i`]: [long('http')],
	// `inOneLine` is given what a message can show of a text, which is at most 10,000 characters.
	[String.raw`/[\s\p{Cc}\p{Cf}\p{DI}\u2800]+/gu`]: [
		long(' '),
		' a'.repeat(5_000),
		'\u202e\n'.repeat(5_000),
	],
	[String.raw`/^[!-~]$/`]: [long('a')],
	[String.raw`/^[\n\v\f\r\u0085\u2028\u2029]$/`]: [long('\n')],
	[String.raw`/^(https:\/\/|http:\/\/(localhost|127(\.\d+){3}|\[::1\])(:\d+)?(\/|$))/i`]: [
		...[long('1', 'http://127.', 'x'), long('1', 'http://127.0.0.', 'x'), long('.1', 'http://127')],
		long('1', 'http://localhost:', 'x'),
	],
	[String.raw`/[?#\\\t\n\r]|^[^:]*:\/+[^/]*@/`]: OWN,
	[String.raw`/\/+$/`]: OWN,
	[String.raw`/^::ffff:(?=\d+\.)/i`]: OWN,
	[String.raw`/\.$/`]: OWN,
	[String.raw`/^\s+at /`]: OWN,
	[String.raw`/^([\w-][\w.-]*|\[[\da-f:.]+\])(:\d+)?$/`]: OWN,
	[String.raw`/^\*(\.[\w-]+){2,}(:\d+)?$/`]: OWN,
	[String.raw`/[\s,;]+/`]: OWN,
	[String.raw`/\.(?=$|:)/`]: OWN,
	[String.raw`/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i`]: OWN,
	[String.raw`/[^A-Za-z0-9+/=_\-\r\n]/u`]: [long('A')],
	[String.raw`/={1,2}$/`]: [long('=', '', 'A'), long('==A')],
	[String.raw`/[-_]/`]: [long('A')],
	[String.raw`/[+/]/`]: [long('A')],
	[String.raw`/^(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|msf1|avif|avis)$/`]: [long('heic')],
	[String.raw`/[^\P{Cc}\s]|\ufffd./su`]: [long('a'), long('\n')],
	[String.raw`/.{4}/gs`]: [long('a')],
	[String.raw`/[/:]/`]: [long('a')],
	[String.raw`/^[A-Z][A-Z0-9_]{0,99}$/`]: [long('A')],
	[String.raw`/^-?\d{1,15}$/`]: [long('1')],
	[String.raw`/^(CERT_|ERR_TLS_CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/`]: OWN,
	[String.raw`/^(DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_(GET_ISSUER|VERIFY_LEAF))/`]: OWN,
	[String.raw`/^write EPROTO .*:(wrong version number|packet length too long|unknown protocol):/s`]:
		[
			...[long('a', 'write EPROTO '), long(':', 'write EPROTO ')],
			long(':wrong version number', 'write EPROTO '),
		],
	[String.raw`/^(connect|getaddrinfo) (E[A-Z_]+)\b/`]: [long('E', 'connect ', 'e')],
	[String.raw`/[{[].*/s`]: [long('a'), long('[')],
	[String.raw`/<title[^<>]*>([^<]*)<\/title>/i`]: [
		...[long('<title'), long('<title>'), long('a', '<title'), long('a', '<title>')],
	],
	['/^[[{"]/']: [long('[')],
	[String.raw`/^=|\{\{/`]: OWN,
	[String.raw`/[,\n]/`]: OWN,
};

const SECRETS = { apiKey: 'key-0123456789abcdef', webhookSecret: 'secret-0123456789abc' };

/** The same for regular expressions that are put together, by their source without white space. */
const COMPOSED: Record<string, (() => unknown)[] | typeof OWN> = {
	'newRegExp(`^[\\\\w-]{${MIN_SECRET_LENGTH},}$`)': OWN,
	'newRegExp(`"${field}"\\\\s*:\\\\s*(?:"([^"]*)"|(\\\\d+)\\\\s*[,}])`)': [
		() => idInText(long('"id":'), 'id'),
		() => idInText(long('"id": '), 'id'),
		() => idInText(long(' ', '"id"'), 'id'),
		() => idInText(long(' ', '"id":'), 'id'),
		() => idInText(long('"id":"'), 'id'),
		() => idInText(long('1', '"id":'), 'id'),
		() => idInText(long(' ', '"id":1'), 'id'),
		() => idInText('"id":' + '1'.repeat(LENGTH / 2) + ' '.repeat(LENGTH / 2), 'id'),
	],
	"newRegExp(`^(?<value>.*)\\\\.${VERSION}\\\\.(?<address>[\\\\w-]{126,512})\\\\s*$`,'s',)": [
		() => splitAddress(long('.w1.')),
		() => splitAddress(long(`.w1.${'A'.repeat(126)}`)),
		() => splitAddress(long(`.w1.${'A'.repeat(126)} `, '', 'x')),
		() => splitAddress(long(' ', `.w1.${'A'.repeat(512)}`, 'x')),
	],
	"newRegExp(`^(?<value>.*)\\\\.${VERSION}\\\\.[\\\\w-]{16}`,'is')": [
		() => splitAddress(long('.W1.')),
		() => splitAddress(long(`.w1.${'A'.repeat(15)}`)),
	],
};

/** `serviceText` takes only this much of a service's text. */
const SEARCHED_FOR_SECRETS = 100_000;
const ofSecrets = [
	() =>
		holdsSecret('key0123456789abcde'.repeat(SEARCHED_FOR_SECRETS / 18), {
			...SECRETS,
			apiKey: 'x'.repeat(1_000),
		}),
	() =>
		holdsSecret('x-'.repeat(SEARCHED_FOR_SECRETS / 2), {
			...SECRETS,
			apiKey: 'a' + 'x'.repeat(11) + 'b',
		}),
];

function filesIn(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((name) => name.endsWith('.ts'))
		.map((name) => join(folder, name));
}

/** The sources of all regular expressions of the package. */
function found(): { literals: string[]; composed: string[] } {
	const literals = new Set<string>();
	const composed = new Set<string>();
	const visit = (node: ts.Node): void => {
		if (ts.isRegularExpressionLiteral(node)) literals.add(node.text);
		const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
		if (isCall && node.expression.getText() === 'RegExp') {
			composed.add(node.getText().replace(/\s/g, ''));
		}
		ts.forEachChild(node, visit);
	};
	const root = join(__dirname, '..', '..');
	for (const file of [...filesIn(join(root, 'nodes')), ...filesIn(join(root, 'credentials'))]) {
		visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true));
	}
	return { literals: [...literals].sort(), composed: [...composed].sort() };
}

const TRIES = 10;

/** CPU time, of the first try within the limit, because a busy machine takes several times as long. */
function millisecondsOf(work: () => unknown): number {
	let milliseconds = Infinity;
	for (let tries = 0; tries < TRIES && milliseconds >= MAX_MS; tries++) {
		const start = process.cpuUsage();
		work();
		const { user, system } = process.cpuUsage(start);
		milliseconds = (user + system) / 1_000;
	}
	return milliseconds;
}

it('each regular expression of the package is listed, and no other', () => {
	const { literals, composed } = found();

	expect(literals).toEqual(Object.keys(LITERALS).sort());
	expect(composed).toEqual(Object.keys(COMPOSED).sort());
});

const literals = Object.entries(LITERALS).flatMap(([source, worst]) =>
	worst === OWN ? [] : worst.map((text): [string, string] => [source, text]),
);

it.each(literals)('%s is quick on a million characters', (source, text) => {
	const end = source.lastIndexOf('/');
	const expression = new RegExp(source.slice(1, end), source.slice(end + 1));
	const isGlobal = expression.flags.includes('g');

	const work = () => (isGlobal ? text.replace(expression, '') : expression.exec(text));

	expect(millisecondsOf(work)).toBeLessThan(MAX_MS);
});

const composed = [...Object.values(COMPOSED).filter((runs) => runs !== OWN), ofSecrets].flat();

it.each(composed)('what is put together is quick, too: %s', (work) => {
	expect(millisecondsOf(work)).toBeLessThan(MAX_MS);
});
