import { fixture } from '../kit/data/fixtures';
import { callTrigger } from '../kit/engine/callTrigger';

/** A text where a sender could have put personal data. */
const MARK = 'Ivo-Varkov-1971';

const EVENT = 'hosted_conclusive';

const OTHER = 'has an undocumented type or value';

const refusalWith = (paths: string[]) => ({
	status: 400,
	started: undefined,
	body: {
		error: 'Not a readable webhook',
		problems: paths.map((path) => ({ path, problem: expect.any(String) })),
	},
});

describe('a body that is no object is refused', () => {
	it.each([
		['nothing', undefined],
		['null', null],
		['an empty list', []],
		['a list of results', [fixture('webhook-accept')]],
		['text', `event=${EVENT}`],
		['JSON in text', JSON.stringify(fixture('webhook-accept'))],
		['an empty text', ''],
		['a number', 42],
		['true', true],
	])('%s', async (_, body) => {
		expect(await callTrigger({ body })).toEqual(refusalWith(['']));
	});
});

describe('a body without a readable event is refused', () => {
	it.each([
		['an empty object', {}, 'is missing'],
		['an object of other keys', { name: MARK }, 'is missing'],
		['a key that holds JSON', { [JSON.stringify(fixture('webhook-accept'))]: '' }, 'is missing'],
		['an event beneath another key', { data: { event: EVENT }, files: {} }, 'is missing'],
		['an event of null', { event: null }, OTHER],
		['a list of events', { event: [EVENT] }, OTHER],
		['a number', { event: 1 }, OTHER],
		['an object', { event: { [EVENT]: true } }, OTHER],
	])('%s', async (_, body, problem) => {
		const refusal = await callTrigger({ body });

		expect(refusal).toEqual(refusalWith(['event']));
		expect(refusal.body).toMatchObject({ problems: [{ problem }] });
	});
});
