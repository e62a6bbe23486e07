// Prints what a body of one shape (argument) takes from its text to an item, compared with
// JSON.parse.
import { parseBody } from '../../nodes/IdentityVerification/contract/parseBody';
import { readWebhookResult } from '../../nodes/IdentityVerification/contract/result';
import { resultItem } from '../../nodes/IdentityVerification/result/resultItem';
import { REFUSED_SHAPE, SHAPES } from '../bodies';
import { median } from '../figures';

const ROUNDS = 15;
const OUTPUTS = ['simplified', 'raw', 'decisionOnly'] as const;

const text = SHAPES[process.argv[2] ?? '']?.() ?? '';
const bytes = Buffer.from(text);
const isRefused = process.argv[2] === REFUSED_SHAPE;
/** JSON has no NaN, which is read like this number. */
const json = Buffer.from(text.replaceAll('NaN', '1e999'));

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
		const parsed = parseBody(fresh);
		const result = parsed.ok ? readWebhookResult(parsed.value) : parsed;
		if (result.ok === isRefused) throw new Error('The body is not read as expected.');
		if (result.ok) resultItem(result, output);
	}),
);
console.log(JSON.stringify({ bytes: bytes.length, parseMs, ratio: Math.max(...costs) / parseMs }));
