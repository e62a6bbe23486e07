/**
 * Runs a task for the indexes 0 to count - 1, at most `limit` at a time. After the first failure no
 * new one is started, the running ones finish, and the failure is thrown.
 * @returns the results in the order of the indexes
 */
export async function inParallel<Result>(
	count: number,
	limit: number,
	task: (index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const failures: unknown[] = [];
	let next = 0;
	async function work(): Promise<void> {
		while (next < count && failures.length === 0) {
			const index = next++;
			await task(index).then(
				(result) => {
					results[index] = result;
				},
				(failure: unknown) => failures.push(failure),
			);
		}
	}
	await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, count)) }, work));
	if (failures.length > 0) throw failures[0];
	return results;
}
