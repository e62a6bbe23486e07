import { z } from 'zod/v4';

import type { ImageFormat } from './imageDigest';

// A manner is how the service always behaves until it is switched off, where a real service could
// differ from what is documented. It belongs to one place of the service: it takes what that place
// usually does, and returns what it does instead. All manners are here, and each place asks for its
// own.

/** One request with a webhook. */
export interface Delivery {
	method: string;
	contentType: string | undefined;
	/** Makes the body of the result's JSON. */
	encode: (json: string) => string;
}

/** When and how often a webhook is sent. */
interface Schedule {
	delayMs: number;
	/** How often it is sent, one after another. */
	times: number;
	/** How many requests each of these times has. */
	atOnce: number;
	/** How often it is sent again, a minute apart, as long as no answer has a status of 2xx. */
	repeats: number;
}

interface Answer {
	status: number;
	headers?: Record<string, string>;
	body?: object;
}

/** What a request costs. */
interface Charge {
	credits: number;
	isRefused?: true;
}

interface FormatCheck {
	refused: ImageFormat[];
	/** What a request costs that is refused for its format. */
	credits: number;
}

/** What manners can change, by place. */
interface Places {
	/** Custom Data, as a webhook returns it. */
	customData: string;
	delivery: Delivery;
	schedule: Schedule;
	/** The answer to a wrong key. */
	keyCheck: Answer;
	charge: Charge;
	formatCheck: FormatCheck;
	/** Address of the host that has the files of results. */
	files: string;
	/** How often the page of a link can be opened. */
	page: number;
}
type Place = keyof Places;

interface Manner<P extends Place> {
	/** A sentence that says what the service does then. */
	does: string;
	change: (usual: Places[P]) => Places[P];
}

type MannersByPlace = { [P in Place]: Record<string, Manner<P>> };

const FORM = 'application/x-www-form-urlencoded';
const TEN_MINUTES_MS = 600_000;
const HOUR_MINUTES = 60;

/** In the order in which they apply: if two contradict each other, the later one wins. */
const MANNERS = {
	customData: {
		customDataTrimmed: {
			does: 'Custom Data is returned without spaces at its ends.',
			change: (text) => text.trim(),
		},
		customDataLowerCase: {
			does: 'Custom Data is returned in lower case.',
			change: (text) => text.toLowerCase(),
		},
		customDataNormalized: {
			does: 'Custom Data is returned in the Unicode form NFC.',
			change: (text) => text.normalize('NFC'),
		},
		customDataEscaped: {
			does: 'Custom Data is returned with HTML entities in place of & < > " and \'.',
			change: escapeHtml,
		},
		customDataCutAt255: {
			does: 'Only the first 255 characters of Custom Data are returned.',
			change: (text) => firstCharacters(text, 255),
		},
		customDataCutAt128: {
			does: 'Only the first 128 characters of Custom Data are returned.',
			change: (text) => firstCharacters(text, 128),
		},
		customDataCutAt64: {
			does: 'Only the first 64 characters of Custom Data are returned.',
			change: (text) => firstCharacters(text, 64),
		},
	},
	delivery: {
		webhookPut: {
			does: 'A webhook is sent as a PUT.',
			change: (delivery) => ({ ...delivery, method: 'PUT' }),
		},
		webhookForm: {
			does: 'A webhook is sent as a form, with the JSON in its field payload.',
			change: (delivery) => ({
				...delivery,
				contentType: FORM,
				encode: (json) => new URLSearchParams({ payload: json }).toString(),
			}),
		},
		webhookFormFields: {
			does: 'A webhook is sent as a form, with a field for each field of the result.',
			change: (delivery) => ({ ...delivery, contentType: FORM, encode: formFields }),
		},
		webhookWithoutType: {
			does: 'A webhook is sent without a content type.',
			change: (delivery) => ({ ...delivery, contentType: undefined }),
		},
	},
	schedule: {
		webhookLate: {
			does: 'A webhook is sent ten minutes after the end user has finished.',
			change: (schedule) => ({ ...schedule, delayMs: TEN_MINUTES_MS }),
		},
		webhookThreeTimes: {
			does: 'A webhook is sent three times, one after another.',
			change: (schedule) => ({ ...schedule, times: 3 }),
		},
		webhookTwiceAtOnce: {
			does: 'A webhook is sent twice at the same time.',
			change: (schedule) => ({ ...schedule, atOnce: 2 }),
		},
		webhookRepeated: {
			does: 'A webhook is sent again every minute for an hour, until it is answered with 2xx.',
			change: (schedule) => ({ ...schedule, repeats: HOUR_MINUTES }),
		},
		webhookNever: {
			does: 'No webhook is sent.',
			change: (schedule) => ({ ...schedule, times: 0 }),
		},
	},
	keyCheck: {
		wrongKey200: {
			does: 'A wrong key is answered with 200 and an error in the body.',
			change: ({ body }) => ({ status: 200, body: { success: false, error: body } }),
		},
		wrongKey403: {
			does: 'A wrong key is answered with 403.',
			change: ({ body }) => ({ status: 403, body }),
		},
		wrongKeyRedirect: {
			does: 'A wrong key is redirected to the portal.',
			change: () => ({ status: 302, headers: { Location: '/portal' } }),
		},
	},
	charge: {
		refusalCharged: {
			does: 'A request that is refused, such as for an unknown profile, costs a credit.',
			change: (charge) => (charge.isRefused ? { ...charge, credits: 1 } : charge),
		},
		creditsTwice: {
			does: 'Each request costs twice as many credits.',
			change: (charge) => ({ ...charge, credits: charge.credits * 2 }),
		},
		creditsNotWhole: {
			does: 'Each request costs a quarter more, so the credits left are not a whole number.',
			change: (charge) => ({ ...charge, credits: charge.credits * 1.25 }),
		},
	},
	formatCheck: {
		heicRefused: {
			does: 'A HEIC image is refused.',
			change: ({ refused, credits }) => ({ refused: [...refused, 'heic'], credits }),
		},
		heicCharged: {
			does: 'A HEIC image is refused, and the request costs a credit.',
			change: ({ refused }) => ({ refused: [...refused, 'heic'], credits: 1 }),
		},
	},
	files: {
		filesElsewhere: {
			does: 'The files of a result are on another host (localhost).',
			change: (url) => `http://localhost:${new URL(url).port}`,
		},
	},
	page: {
		linkOpensOnce: {
			does: 'A hosted link can be opened only once.',
			change: () => 1,
		},
	},
} satisfies MannersByPlace;

const BY_PLACE: MannersByPlace = MANNERS;

export type MannerName = { [P in Place]: keyof (typeof MANNERS)[P] }[Place];

/** All manners in the order of the table. */
export const MANNER_LIST = Object.values(BY_PLACE).flatMap((manners) =>
	Object.entries(manners).map(([name, { does }]) => ({ name: name as MannerName, does })),
);

/** Names of manners, for a schema. */
export const mannerNames = z.array(z.enum(MANNER_LIST.map(({ name }) => name)));

/** The manners that are on. */
export class Manners {
	constructor(readonly names: readonly MannerName[] = []) {}

	/** What a place does: what it usually does, changed by its manners that are on. */
	at<P extends Place>(place: P, usual: Places[P]): Places[P] {
		const on = new Set<string>(this.names);
		return Object.entries(BY_PLACE[place])
			.filter(([name]) => on.has(name))
			.reduce((done, [, { change }]) => change(done), usual);
	}
}

const ENTITIES: Record<string, string> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;',
};

function escapeHtml(text: string): string {
	return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function firstCharacters(text: string, count: number): string {
	return [...text].slice(0, count).join('');
}

function formFields(json: string): string {
	const form = new URLSearchParams();
	for (const [name, value] of Object.entries(JSON.parse(json) as Record<string, unknown>)) {
		form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
	}
	return form.toString();
}
