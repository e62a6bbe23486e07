import { Places } from '../../../nodes/IdentityVerification/transport/pace/places';

const ANSWER_MS = 200;

/** After a refusal while three were open: a guess of three, and when one more is tried. */
function guess() {
	const places = new Places();
	for (let open = 1; open <= 4; open++) places.sent(0, open);
	expect(places.refused(2, 0, 3)).toBe(true);
	return { places, triedAt: 2 + places.waitMs(2, ANSWER_MS, 3) };
}

it('as many as were open at a refusal may be open, and one more after a while', () => {
	const { places, triedAt } = guess();

	expect(places.waitMs(3, ANSWER_MS, 2)).toBe(0);
	expect(triedAt).toBeGreaterThan(ANSWER_MS);
	expect(places.waitMs(triedAt, ANSWER_MS, 3)).toBe(0);
	expect(places.waitMs(triedAt, ANSWER_MS, 4)).toBeGreaterThan(0);
});

it('a try that is refused confirms the guess: the next one comes later', () => {
	const { places, triedAt } = guess();
	places.sent(triedAt, 4);

	expect(places.refused(triedAt + 2, triedAt, 3)).toBe(true);
	expect(places.waitMs(triedAt + 2, ANSWER_MS, 3)).toBeGreaterThan(3_000);
});

it('a try that is taken ends the guess', () => {
	const { places, triedAt } = guess();
	places.sent(triedAt, 4);

	expect(places.taken(triedAt)).toBe(true);
	expect(places.waitMs(triedAt, ANSWER_MS, 100)).toBe(0);
});

it('a try that ends without an answer is followed by another', () => {
	const { places, triedAt } = guess();
	places.sent(triedAt, 4);
	places.ended(triedAt);
	places.sent(triedAt + 100, 4);

	expect(places.taken(triedAt + 100)).toBe(true);
});

it('a refusal although fewer are open says that the service limits something else', () => {
	const { places } = guess();

	expect(places.refused(10, 5, 1)).toBe(false);
	expect(places.waitMs(10, ANSWER_MS, 100)).toBe(0);
});
