// Prints what a body of one shape (argument) takes from its text to an item, compared with JSON.parse.
import { parseServiceJson } from '../../nodes/IdentityVerification/contract/json';
import { readWebhookResult } from '../../nodes/IdentityVerification/contract/result';
import { resultItem } from '../../nodes/IdentityVerification/result/resultItem';
import { SHAPES } from '../bodies';
import { median } from '../figures';

const ROUNDS = 5;
const OUTPUTS = ['simplified', 'raw', 'decisionOnly'] as const;

const text = SHAPES[process.argv[2] ?? '']?.() ?? '';
const bytes = Buffer.from(text);
/** JSON has no NaN. */
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

const parseMs = cost(json, (fresh) => void JSON.parse(fresh));
const costs = OUTPUTS.map((output) =>
	cost(bytes, (fresh) => {
		const result = readWebhookResult(parseServiceJson(fresh));
		if (!result.ok) throw new Error('The body is not a result.');
		resultItem(result, output);
	}),
);
console.log(JSON.stringify({ bytes: bytes.length, parseMs, ratio: Math.max(...costs) / parseMs }));
