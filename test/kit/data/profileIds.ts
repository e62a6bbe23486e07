/** The profile of each result, from items in the form of Simplified or Decision Only. */
export function profileIds(items: object[]): unknown[] {
	return items.map((item) => (item as { details?: { profileId?: unknown } }).details?.profileId);
}
