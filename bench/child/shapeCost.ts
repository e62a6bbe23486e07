// Prints what a body of one shape (argument) takes from its text to an item, compared with
// JSON.parse.
import { parseBody } from '../../nodes/IdentityVerification/contract/parseBody';
import { readWebhookResult } from '../../nodes/IdentityVerification/contract/result';
import { resultItem } from '../../nodes/IdentityVerification/result/resultItem';
import { SHAPES } from '../bodies';
import { median } from '../figures';

const ROUNDS = 3;
const OUTPUTS = ['simplified', 'raw', 'decisionOnly'] as const;

const text = SHAPES[process.argv[2] ?? '']?.() ?? '';
const bytes = Buffer.from(text);
/** JSON has no NaN, which is read as null. */
const json = Buffer.from(text.replaceAll('NaN', 'null'));

/** CPU time in milliseconds, the median of the rounds. */
function cost(body: Buffer, read: (text: string) => void): number {
	const times: number[] = [];
	for (let round = 0; round < ROUNDS; round++) {
		const fresh = body.toString();
		globalThis.gc?.();
		const before = process.cpuUsage();
		read(fresh);
		const { user, system } = process.cpuUsage(before);
		times.push((user + system) / 1_000);
	}
	return median(times);
}

const parseMs = cost(json, JSON.parse);
const costs = OUTPUTS.map((output) =>
	cost(bytes, (fresh) => {
		const parsed = parseBody({ text: fresh, isWhole: true });
		const result = parsed.ok ? readWebhookResult(parsed.value) : parsed;
		if (result.ok) resultItem(result, output);
	}),
);
console.log(JSON.stringify({ bytes: bytes.length, parseMs, ratio: Math.max(...costs) / parseMs }));
