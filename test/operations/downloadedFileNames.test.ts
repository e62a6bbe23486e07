import fc from 'fast-check';

import { remoteFiles } from '../../nodes/IdentityVerification/actions/downloadFiles/remoteFiles';
import { anyText } from '../kit/data/fuzzedJson';

const fileUrl = 'https://files.example.com/file/1';

const nameOf = (fileName: unknown): string =>
	remoteFiles({ outputFile: [{ fileName, fileUrl }] })?.files[0]?.fileName ?? '';

const imageNameOf = (front: string): string =>
	remoteFiles({ outputImage: { front } })?.files[0]?.fileName ?? '';

const namesOf = (names: string[], taken: string[] = []): string[] => {
	const outputFile = names.map((fileName) => ({ fileName, fileUrl }));
	return (remoteFiles({ outputFile }, taken)?.files ?? []).map(({ fileName }) => fileName);
};

/** Names that a case-insensitive disk takes for the same one. */
const onDisk = (name: string) => name.normalize().toUpperCase();

describe('the name of a report', () => {
	it.each([
		['report.pdf', 'report.pdf'],
		['Prüfbericht 報告 (1)_a-b.pdf', 'Prüfbericht 報告 (1)_a-b.pdf'],
		['Bericht 🪪 50%\u202e.pdf', 'Bericht  50.pdf'],
		['../../etc/passwd', 'passwd'],
		['..\\..\\Windows\\system.ini', 'system.ini'],
		['file:stream.pdf', 'filestream.pdf'],
		['re\u0000po\nrt\u007f.pdf', 'report.pdf'],
		['a<b>c"d|e?f*.pdf', 'abcdef.pdf'],
		['CON.pdf', '_CON.pdf'],
		['nul', '_nul'],
		['COM1.tar.gz', '_COM1.tar.gz'],
		['Lpt9 .txt', '_Lpt9.txt'],
		['Contract.pdf', 'Contract.pdf'],
		['.htaccess', 'file.htaccess'],
		[' . .hidden', 'file.hidden'],
		[' . .hidden file', 'hidden file'],
		['..', 'file'],
		['dir/', 'file'],
		['', 'file'],
	])('%j becomes %j', (given, safe) => {
		expect(nameOf(given)).toBe(safe);
	});

	it.each([
		['Chinese', '報'.repeat(90), '.pdf'],
		['English', 'a'.repeat(300), '.pdf'],
		['old Italic', '𐌀'.repeat(60), '.jpeg'],
		['without extension', 'a'.repeat(300), ''],
		['a dot and words', `${'a'.repeat(300)}. The report of the whole year`, ''],
		['a long last part', `${'a'.repeat(300)}.abcdefghijk`, ''],
	])('that is too long for a disk is cut before its extension: %s', (_, stem, extension) => {
		const name = nameOf(`${stem}${extension}`);

		const kept = name.slice(0, name.length - extension.length);
		expect(name.slice(kept.length)).toBe(extension);
		expect(stem.startsWith(kept)).toBe(true);
		const bytes = Buffer.byteLength(name);
		expect(bytes).toBeLessThanOrEqual(100 + extension.length);
		expect(bytes).toBeGreaterThan(96 + extension.length);
	});

	it('of 10 million characters is read at once', () => {
		for (const part of ['.', ' ', '. x', 'a', '報.']) {
			expect(Buffer.byteLength(nameOf(`a${part.repeat(10_000_000 / part.length)}x`))).toBeLessThan(
				200,
			);
		}
	});

	it('comes from the other name when there is no file name', () => {
		expect(remoteFiles({ files: [{ name: 'Audit Report', fileUrl }] })?.files[0]?.fileName).toBe(
			'Audit Report',
		);
	});

	it('can be stored anywhere, whatever was given', () => {
		const long = fc.tuple(anyText, fc.integer({ min: 1, max: 60 })).map(([t, n]) => t.repeat(n));
		const dots = fc.array(fc.constantFrom('.', ' ', 'a', '🪪', '/', '\\'), { maxLength: 260 });

		fc.assert(
			fc.property(
				fc.oneof(
					anyText,
					long,
					dots.map((list) => list.join('')),
				),
				(given) => {
					const name = nameOf(given);

					expect(name).not.toMatch(/^[.\s]|[^\p{L}\p{M}\p{N} ._()-]/u);
					expect(name.length).toBeGreaterThan(0);
					expect(Buffer.byteLength(name)).toBeLessThanOrEqual(111);
					expect(name).not.toMatch(/[.\s]$/);
					expect(name).not.toMatch(/\p{Cs}/u);
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it('does not hide its type by writing backwards', () => {
		expect(nameOf('report\u202efdp.exe')).not.toContain('\u202e');
	});
});

describe('the names of several files', () => {
	const long = 'a'.repeat(300);

	it.each([
		[
			['report.pdf', 'report.pdf', 'report.pdf'],
			['report.pdf', 'report (2).pdf', 'report (3).pdf'],
		],
		[
			['report.pdf', 'REPORT.PDF', 'Report.pdf'],
			['report.pdf', 'REPORT (2).PDF', 'Report (3).pdf'],
		],
		[
			['report.pdf', 'report (2).pdf', 'report.pdf'],
			['report.pdf', 'report (2).pdf', 'report (3).pdf'],
		],
		[
			['report (2).pdf', 'report.pdf', 'report.pdf'],
			['report (2).pdf', 'report.pdf', 'report (3).pdf'],
		],
		[
			['Pr\u00fcf.pdf', 'Pru\u0308f.pdf'],
			['Pr\u00fcf.pdf', 'Pru\u0308f (2).pdf'],
		],
		[
			['a/report.pdf', 'b/report.pdf'],
			['report.pdf', 'report (2).pdf'],
		],
		[
			['', '?'],
			['file', 'file (2)'],
		],
		[
			['report.pdf', 'report.txt'],
			['report.pdf', 'report.txt'],
		],
		[
			[`${long}1.pdf`, `${long}2.pdf`],
			[`${'a'.repeat(100)}.pdf`, `${'a'.repeat(100)} (2).pdf`],
		],
	])('%j become %j', (given, distinct) => {
		expect(namesOf(given)).toEqual(distinct);
	});

	it('differ from those that the item has already', () => {
		expect(namesOf(['report.pdf', 'other.pdf'], ['Report.PDF'])).toEqual([
			'report (2).pdf',
			'other.pdf',
		]);
	});

	it('all differ, whatever was given', () => {
		const similar = fc.constantFrom('a', 'A', 'a (2)', 'a.pdf', 'a (2).pdf', '', 'é', 'e\u0301');
		const names = fc.array(fc.oneof(similar, anyText), { maxLength: 30 });

		fc.assert(
			fc.property(names, names, (given, taken) => {
				const all = [...new Set(taken.map(onDisk)), ...namesOf(given, taken).map(onDisk)];

				expect(new Set(all).size).toBe(all.length);
			}),
		);
	});

	it('are those of at most 100 files, and the rest is counted', () => {
		const outputFile = Array<object>(102).fill({ fileName: 'report.pdf', fileUrl });
		const { files = [], left } = remoteFiles({ outputFile }) ?? {};

		expect(files.at(-1)?.fileName).toBe('report (100).pdf');
		expect([files.length, left]).toEqual([100, 2]);
	});

	it('are those of the first 100 files, also if some have no address', () => {
		const outputFile = [...Array<object>(99).fill({}), { fileUrl }, { fileUrl }];

		expect(remoteFiles({ outputFile })).toMatchObject({
			files: [{ field: 'file_99' }],
			...{ skipped: 99, left: 1 },
		});
	});

	it('are none for an address of over 4 kB', () => {
		const addressOf = (length: number) => fileUrl.padEnd(length, 'x');
		const outputFile = [4096, 4097].map((length) => ({ fileUrl: addressOf(length) }));

		expect(remoteFiles({ outputFile })).toMatchObject({
			files: [{ field: 'file_0', url: addressOf(4096) }],
			skipped: 1,
		});
	});
});

describe('the binary fields', () => {
	const fieldsOf = (json: object) =>
		(remoteFiles({ ...json })?.files ?? []).map(({ field }) => field).sort();

	it.each<[string, object, string[]]>([
		['of documented images', { front: fileUrl, face: fileUrl }, ['face', 'front']],
		['of other images', { portrait_2: fileUrl }, ['portrait_2']],
		[
			'of images whose names no expression could use',
			JSON.parse(`{ "__proto__": "${fileUrl}", "a.b": "${fileUrl}", "": "${fileUrl}" }`) as object,
			['image', 'image_2', 'image_3'],
		],
	])('%s', (_, outputImage, fields) => {
		expect(fieldsOf({ outputImage })).toEqual(fields);
	});

	it('of a report and of an image with the name of its field', () => {
		const files = remoteFiles({
			outputImage: { file_0: `${fileUrl}/image.jpg` },
			outputFile: [{ fileName: 'report.pdf', fileUrl }],
		})?.files.map(({ field, fileName }) => [field, fileName]);

		expect(files).toEqual([
			['file_0', 'report.pdf'],
			['file_0_2', 'image.jpg'],
		]);
	});

	it('keep the number of a report whose predecessor has no address', () => {
		expect(fieldsOf({ outputFile: [{ fileName: 'lost' }, { fileUrl }] })).toEqual(['file_1']);
	});

	it('of one image that is there in both forms', () => {
		const files = [{ image: 'front', fileUrl }];

		expect(fieldsOf({ outputImage: { front: fileUrl }, files })).toEqual(['front', 'front_2']);
	});
});

describe('the name of an image', () => {
	it.each([
		['https://files.example.com/a/front.jpg?x=1', 'front.jpg'],
		['https://files.example.com/image/7f3c/front', 'front'],
		['https://files.example.com/image/7f3c', 'front'],
		['https://files.example.com/', 'front'],
		['https://files.example.com/a/..%2f..%2fx.jpg', '2f..2fx.jpg'],
	])('of %s is %s', (address, name) => {
		expect(imageNameOf(address)).toBe(name);
	});
});
