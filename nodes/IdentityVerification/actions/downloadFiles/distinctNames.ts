/** When two names are the same, and how one is told from the other. */
export interface NamingRules {
	/** What is the same for names that must not occur together. */
	keyOf(name: string): string;
	/** The name with a number. */
	numbered(name: string, number: number): string;
}

/** Names of which no two are the same. */
export class DistinctNames {
	private readonly used: Set<string>;

	/** The last number of each name that occurred several times. */
	private readonly numbers = new Map<string, number>();

	constructor(
		private readonly rules: NamingRules,
		taken: string[] = [],
	) {
		this.used = new Set(taken.map(rules.keyOf));
	}

	/**
	 * Adds a name, and returns it, with a number if there is the same one already: the second
	 * gets a 2.
	 */
	add(name: string): string {
		const { keyOf, numbered } = this.rules;
		const key = keyOf(name);
		let number = this.numbers.get(key) ?? 1;
		let distinct = name;
		while (this.used.has(keyOf(distinct))) {
			number += 1;
			distinct = numbered(name, number);
		}
		this.numbers.set(key, number);
		this.used.add(keyOf(distinct));
		return distinct;
	}
}
