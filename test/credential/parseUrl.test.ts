import { parseUrl } from '../../nodes/IdentityVerification/nodejs';

// V8 compiles a function again after some thousand calls, and URL.canParse of Node.js 20 and 22
// then refuses such an address: files were skipped, and a Base URL was called none.
it('an address with a letter that is not ASCII stays one, however many were parsed', () => {
	const address = 'https://dateien-müller.example/x';
	const count = 50_000;
	let recognized = 0;
	for (let times = 0; times < count; times++) if (parseUrl(address)) recognized++;

	expect(recognized).toBe(count);
});

it.each([
	['https://dateien-müller.example', undefined, 'https://xn--dateien-mller-4ob.example/'],
	['../b', 'https://files.example/x/y', 'https://files.example/b'],
	['', 'https://files.example/x', 'https://files.example/x'],
	['', undefined, undefined],
	['nowhere', undefined, undefined],
	['https://', 'https://files.example/x', undefined],
])('%j, relative to %s, is %s', (address, base, href) => {
	expect(parseUrl(address, base)?.href).toBe(href);
});
