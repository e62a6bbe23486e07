import { SCENARIOS } from '../../dev/sandbox/scenarios';
import { fixture, SCAN_FIXTURES, WEBHOOK_FIXTURES } from '../kit/data/fixtures';
import { useReceiver } from '../kit/service/receiver';
import { useFresh } from '../kit/service/sandbox';
import { SandboxUnderTest, json } from './support/sandboxUnderTest';

// The fixtures are the documented answers. What differs from them is named here.

type Answer = Record<string, unknown>;

const client = useFresh(new SandboxUnderTest());
const receiver = useReceiver();

async function scans(): Promise<Answer[]> {
	const profiles = ['sandbox-accept', 'sandbox-low-confidence', 'sandbox-aml'];
	const face = '/9j/';
	return await Promise.all(
		profiles.map(async (profile) => await json<Answer>(await client.scan({ profile, face }))),
	);
}

async function webhooks(): Promise<Answer[]> {
	await client.setProfile('sandbox-accept', { webhookUrl: receiver.url });
	for (const { scenario } of SCENARIOS) await client.verify({}, scenario);
	return receiver.received.map(({ text }) => JSON.parse(text) as Answer);
}

it('answers a scan as documented, but never with a picture of the back', async () => {
	const review = fixture('scan-accept', { decision: 'review' });
	const documented = shapeOf([...SCAN_FIXTURES.map((name) => fixture(name)), review]);
	expect(documented).toContain('outputImage.back: string');
	expect([...shapeOf(await scans()), 'outputImage.back: string'].sort()).toEqual(documented);
});

it('sends webhooks as documented, which also say what is missing, as a scan does', async () => {
	const documented = shapeOf(WEBHOOK_FIXTURES.map((name) => fixture(name)));
	expect(documented).not.toContain('missingFields[]: string');
	const answers = await webhooks();
	expect(shapeOf(answers)).toEqual([...documented, 'missingFields[]: string'].sort());
	expect(keysOfData(answers)).toEqual(keysOfData([fixture('webhook-accept')]));
});

it('answers with a hosted link as documented', async () => {
	const link = await client.link();
	expect(shapeOf([link])).toEqual(shapeOf([fixture('hosted-link')]));
});

function keysOfData(answers: Answer[]): string[] {
	const keys = answers.flatMap(({ data }) => Object.keys(data as object));
	return [...new Set(keys)].sort();
}

/** What has which type in any of the answers, such as `data.*[].inputBox[][]: number`. */
function shapeOf(answers: Answer[]): string[] {
	return [...new Set(answers.flatMap((answer) => linesOf(answer)))].sort();
}

/** A closed list of values counts as a type of its own. */
const CLOSED = /(^|\.)(decision|severity|source|event)$/;

function linesOf(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) return value.flatMap((member) => linesOf(member, `${path}[]`));
	if (typeof value === 'object' && value !== null) {
		return Object.entries(value).flatMap(([key, child]) => {
			const name = path === 'data' ? '*' : key;
			return linesOf(child, path ? `${path}.${name}` : name);
		});
	}
	const type = CLOSED.test(path) ? JSON.stringify(value) : value === null ? 'null' : typeof value;
	return [`${path}: ${type}`];
}
