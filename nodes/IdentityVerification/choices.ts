/**
 * Says that an option doesn't have one of its fixed values, and lists them: whoever builds a
 * workflow without the editor learns them here. The wrong value isn't shown, because it could be
 * anything.
 */
export function notOneOf(values: ReadonlyArray<string | number>): string {
	return `is not one of ${values.join(', ')}`;
}
