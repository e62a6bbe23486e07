import { parseJson } from './json';
import { outsideStrings } from './outsideStrings';
import { idText } from './text';

/**
 * Finds an ID in a text that should have been a JSON object but can't be parsed, for example
 * because it is cut off.
 * @param field the key of the object whose value is the ID
 * @returns an empty string unless the whole value is there and looks like an ID
 */
export function idInText(text: string, field: string): string {
	let depth = 0;
	let isValueNext = false;
	let stringFrom = 0;
	for (const { start, end } of outsideStrings(text)) {
		const string = text.slice(stringFrom, start);
		if (isValueNext) return idText(parseJson(string));
		const outside = text.slice(start, end);
		if (depth === 1 && string === `"${field}"`) {
			// Parsing could change the last digits, so they are taken as they are written. What follows
			// the number proves that it isn't cut off.
			const number = /^\s*:\s*(-?[\d.]+)\s*[,}]/.exec(outside);
			if (number) return idText(number[1]);
			isValueNext = /^\s*:\s*$/.test(outside);
		}
		for (const [bracket] of outside.matchAll(/[{}[\]]/g)) depth += '{['.includes(bracket) ? 1 : -1;
		stringFrom = end;
	}
	return '';
}
