/** When two names count as the same, and how the second one is renamed. */
export interface NamingRules {
	/** Equal for names that must not occur together. */
	keyOf(name: string): string;
	/** The name with a number. */
	numbered(name: string, number: number): string;
}

/** A set of names that keeps them distinct. */
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
	 * Adds a name and returns it. If the name is already taken, it gets a number: the second one gets
	 * a 2.
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
