import type { INodeParameters } from 'n8n-workflow';

import { sha256, useSandbox } from '../kit/service/sandbox';
import { picture } from '../kit/data/picture';
import { actionRunner } from '../kit/engine/action';
import { CONTINUE } from '../kit/settings';

// What becomes of base64 text on its way to the node: it is sent if the image is still in it, and
// else refused, unpaid.

const sandbox = useSandbox();
const { run } = actionRunner(sandbox);

const FROM_TEXT: INodeParameters = {
	documentSource: 'base64',
	documentBase64: '={{ $json.image }}',
};

/** Scans these texts, each in an item of its own. */
const scan = async (images: unknown[], options: INodeParameters = {}) =>
	await run({
		items: images.map((image) => ({ json: { image } as never })),
		parameters: { ...FROM_TEXT, options },
		settings: CONTINUE,
	});

/** What is said of a text that is refused, when nothing was sent. */
async function refusalOf(image: unknown, options?: INodeParameters) {
	const [item] = (await scan([image], options)).outputs[0] ?? [];
	expect(item?.error?.message).toMatch(/ Nothing was charged \(charge: none\) \[item 0\]$/);
	expect(await sandbox.requests()).toEqual([]);
	return { message: item?.error?.message ?? '', description: item?.error?.description ?? '' };
}

const inLines = (text: string, length: number, lineBreak: string) =>
	text.replace(new RegExp(`.{${length}}(?=.)`, 'g'), `$&${lineBreak}`);

const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_');
const unpadded = (text: string) => text.replace(/=+$/, '');

describe.each([900, 901, 902])('text of an image of %d bytes', (bytes) => {
	const image = picture(bytes);
	const text = image.toString('base64');

	it.each<[string, string]>([
		['as a data URI', `data:image/jpeg;base64,${text}`],
		['as a data URI in capitals', `DATA:IMAGE/JPEG;BASE64,${text}`],
		['as a data URI with parameters', `data:image/jpeg;name=a.jpg;base64,${text}`],
		['as a data URI with lines', `data:;base64,\n${inLines(text, 76, '\r\n')}`],
		['with white space around it', `\n\t ${text} \u00a0\ufeff\r\n`],
		['in lines, as of PEM', inLines(text, 64, '\n')],
		['in lines with empty ones between', inLines(text, 76, '\r\n\r\n')],
		['in lines of any length', inLines(text, 11, '\r')],
		['in lines folded as in a vCard', inLines(text, 74, '\r\n ')],
		['in lines that XML indents', `\n${inLines(text, 64, '\n\t  ')}\n\t`],
		['in the URL-safe alphabet', urlSafe(text)],
		['in the URL-safe alphabet, unpadded', unpadded(urlSafe(text))],
	])('is sent as the image: %s', async (_, given) => {
		const { outputs } = await scan([given]);

		expect(outputs[0]?.[0]?.error).toBeUndefined();
		expect(await sandbox.documents()).toEqual([sha256(image)]);
	});
});

const text = picture().toString('base64');

it.each<[string, unknown, RegExp]>([
	['spaces in the middle', `${text.slice(0, 300)} ${text.slice(301)}`, /contains a space, which/],
	['lines that YAML has folded', inLines(text, 76, ' '), /contains a space, which/],
	[
		'lines of which one is not indented',
		inLines(text, 76, '\n\t').replace('\n\t', '\n'),
		/contains the character U\+0009, which/,
	],
	[
		'indented lines with a space between two letters',
		inLines(text.replace(/(?<=^.{99})./, ' '), 76, '\n '),
		/contains a space, which/,
	],
	['a space after the comma', `data:image/jpeg;base64, ${text}`, /contains a space, which/],
	['quotation marks', JSON.stringify(text), /contains """, which base64 text cannot contain/],
	['percent-encoded text', encodeURIComponent(text), /contains "%", which/],
	['PHP text of JSON', text.replaceAll('/', '\\/'), /contains "\\", which/],
	['a sentence', 'The image is at https://files.example.com/a.jpg. '.repeat(5), /contains a space/],
	[
		'a non-breaking space',
		`${text.slice(0, 300)}\u00a0${text.slice(300)}`,
		/character U\+00A0, which/,
	],
	['an emoji', `${text.slice(0, 300)}🙂${text.slice(300)}`, /character U\+1F642, which/],
	['a data URI without base64', `data:image/jpeg,${text}`, /is a data URI without base64 text/],
	['a data URI that never begins', `data:image/jpeg;base64${text}`, /is a data URI without/],
	[
		'two texts, one after the other',
		picture(499).toString('base64').repeat(2),
		/is damaged base64 text/,
	],
	['more padding than there is', `${text.slice(0, 400)}===`, /is damaged base64 text/],
	['text of two alphabets', text.replace('+', '-').replace(/[A-Z]/, '+'), /is damaged base64 text/],
	['one letter too many', picture(900).toString('base64').slice(0, -3), /is incomplete base64/],
	[
		'one letter too many, URL-safe',
		`${urlSafe(picture(900).toString('base64'))}A`,
		/is incomplete base64 text/,
	],
	['half of its padding', urlSafe(picture(901).toString('base64')).slice(0, -1), /is incomplete/],
	['text without its padding', unpadded(picture(901).toString('base64')), /is incomplete base64/],
	['a file record', { mimeType: 'image/jpeg', id: 'filesystem-v2:a' }, /is an object, not base64/],
	["the name of n8n's storage", 'filesystem-v2', /is too short to be an image/],
])('is refused, unpaid and with its reason: %s', async (_, given, reason) => {
	const { message, description } = await refusalOf(given);

	expect(message).toMatch(reason);
	expect(message).toContain("It comes from 'Document Image Base64'");
	expect(description).toMatch(/^[A-Z]/);
});

it.each([
	'filesystem',
	'filesystem-v2',
	's3',
	'azure',
	'database',
	'data:image/png;base64,database',
])(
	"is refused, unpaid, if it is the name of n8n's storage, whatever is sent besides images: %s",
	async (given) => {
		const { message } = await refusalOf(given, { sendOtherFileTypes: true });

		expect(message).toMatch(/is too short to be an image/);
	},
);

it('is refused, unpaid, wherever its plus signs became spaces', async () => {
	const texts = Array.from({ length: 200 }, () => picture().toString('base64'));
	const damaged = texts.map((each) => each.replaceAll('+', ' '));
	// If a multiple of four is lost, what is left is valid base64 text.
	expect(damaged.some((each) => each.replaceAll(' ', '').length % 4 === 0)).toBe(true);

	const { outputs } = await scan(damaged);

	const errors = outputs[0]?.map(({ error }) => error) ?? [];
	expect(errors.map((error) => error?.message)).toEqual(
		damaged.map(() => expect.stringMatching(/contains a space, which base64 text cannot contain/)),
	);
	expect(errors[0]?.description).toContain('turns each + into a space');
	expect(await sandbox.requests()).toEqual([]);
});

it.each<[string, (given: string) => string]>([
	['lines', (given) => inLines(given, 76, '\r\n')],
	['URL-safe letters', (given) => unpadded(urlSafe(given))],
])('is sent if it is 20 MB of %s', async (_, written) => {
	const image = picture(15_000_001);

	const { outputs } = await scan([written(image.toString('base64'))]);

	expect(outputs[0]?.[0]?.error).toBeUndefined();
	expect(await sandbox.documents()).toEqual([sha256(image)]);
});

it.each<[string, string]>([
	['spaces', `${'A'.repeat(200)}${' '.repeat(2_000_000)}x`],
	['line breaks', `${'A'.repeat(200)}${'\n'.repeat(2_000_000)}%`],
	['indentation', `${'A'.repeat(200)}\n${' '.repeat(2_000_000)}%`],
	['padding', `${'A'.repeat(200)}${'='.repeat(2_000_000)}`],
	['a data URI', `data:${';base64 '.repeat(250_000)},`],
	['a data URI without a comma', `data:${';base64'.repeat(250_000)}`],
])('does not hold n8n up when it is nothing but %s', async (_, given) => {
	expect((await refusalOf(given)).message).toMatch(/document image/);
});
