import fc from 'fast-check';

import { remoteFiles } from '../../nodes/IdentityVerification/actions/downloadFiles.operation';
import { anyText } from '../kit/fuzz/json';

const fileUrl = 'https://files.example.com/file/1';

const nameOf = (fileName: unknown): string =>
	remoteFiles({ outputFile: [{ fileName, fileUrl }] })?.files[0]?.fileName ?? '';

const imageNameOf = (front: string): string =>
	remoteFiles({ outputImage: { front } })?.files[0]?.fileName ?? '';

describe('the name of a report', () => {
	it.each([
		['report.pdf', 'report.pdf'],
		['Prüfbericht 報告 🪪.pdf', 'Prüfbericht 報告 🪪.pdf'],
		['../../etc/passwd', 'passwd'],
		['..\\..\\Windows\\system.ini', 'system.ini'],
		['C:\\Users\\report.pdf', 'report.pdf'],
		['/etc/passwd', 'passwd'],
		['file:stream.pdf', 'filestream.pdf'],
		['re\u0000po\nrt\u007f.pdf', 'report.pdf'],
		['a<b>c"d|e?f*.pdf', 'abcdef.pdf'],
		['.htaccess', 'htaccess'],
		[' . .hidden', 'hidden'],
		['..', 'file'],
		['dir/', 'file'],
		['', 'file'],
	])('%j becomes %j', (given, safe) => {
		expect(nameOf(given)).toBe(safe);
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

					expect(name).not.toMatch(/^[.\s]|[\\/<>:"|?*]|\p{Cc}/u);
					expect(name.length).toBeGreaterThan(0);
					expect(name.length).toBeLessThanOrEqual(200);
				},
			),
			{ numRuns: 2_000 },
		);
	});

	it('does not hide its type by writing backwards', () => {
		expect(nameOf('report\u202efdp.exe')).not.toContain('\u202e');
	});
});

describe('the name of an image', () => {
	it.each([
		['https://files.example.com/a/front.jpg?x=1', 'front.jpg'],
		['https://files.example.com/image/7f3c/front', 'front'],
		['https://files.example.com/image/7f3c', 'front'],
		['https://files.example.com/', 'front'],
		['https://files.example.com/a/..%2f..%2fx.jpg', '%2f..%2fx.jpg'],
	])('of %s is %s', (address, name) => {
		expect(imageNameOf(address)).toBe(name);
	});
});
