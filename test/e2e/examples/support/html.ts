import { DomUtils, parseDocument } from 'htmlparser2';

const elementsIn = (html: unknown, name: string) =>
	DomUtils.getElementsByTagName(name, parseDocument(String(html)));

/** What somebody reads in the elements of a page or a mail with this name. */
export function textsIn(html: unknown, name: string): string[] {
	return elementsIn(html, name).map((element) => DomUtils.innerText(element).trim());
}

/** Where the links of a page or a mail lead. */
export function addressesIn(html: unknown): string[] {
	return elementsIn(html, 'a').map(({ attribs }) => attribs.href ?? '');
}

/** The texts of the cells of a mail's table, by rows; without its headings. */
export function cellsIn(html: unknown): string[][] {
	return elementsIn(html, 'tr').map((row) =>
		DomUtils.getElementsByTagName('td', row).map((cell) => DomUtils.innerText(cell).trim()),
	);
}
