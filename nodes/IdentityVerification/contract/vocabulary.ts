/** Header that carries the customer's API key on every request (interface.md#authentication). */
export const API_KEY_HEADER = 'X-API-KEY';

/**
 * The one documented webhook event: the end user has completed verification (interface.md#webhook).
 */
export const HOSTED_CONCLUSIVE = 'hosted_conclusive';

/**
 * Outcomes of a verification, in the order of the nodes' outputs (interface.md#decision). No other
 * values exist.
 */
export const DECISIONS = ['review', 'accept', 'reject'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Severities of a warning, lowest first (interface.md#warnings). No other values exist. */
export const SEVERITIES = ['low', 'medium', 'high'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * What a hosted verification link can ask of the end user, and its price
 * (interface.md#hosted-link). No other values exist.
 */
export const MODES = [
	{ mode: 0, checks: 'ID and Face Verification', credits: 2 },
	{ mode: 1, checks: 'ID Verification', credits: 1 },
	{ mode: 2, checks: 'Face Verification', credits: 1 },
	{ mode: 3, checks: 'E-Signature', credits: 1 },
] as const;
export type Mode = (typeof MODES)[number]['mode'];

/** Mode that needs a `referenceFace` image (interface.md#hosted-link). */
export const FACE_ONLY_MODE = 2 satisfies Mode;

/** Mode that needs a `contractSign` template ID (interface.md#hosted-link). */
export const SIGNATURE_MODE = 3 satisfies Mode;

/**
 * Newest `version` of link creation (interface.md#hosted-link). Earlier values are not documented.
 */
export const LATEST_LINK_VERSION = 3;

/** Code of the warning that carries an AML record in its `data` (interface.md#warnings). */
export const AML_SANCTION = 'AML_SANCTION';

const PARTS_OF_DATES = ['dob', 'expiry', 'issued'].flatMap((date) =>
	['Day', 'Month', 'Year'].map((part) => date + part),
);

/**
 * Keys of `data` whose text is a whole number (interface.md#fields). Text of any other key stays
 * text.
 */
export const NUMERIC_DATA_KEYS = ['age', 'daysFromIssue', 'daysToExpiry', ...PARTS_OF_DATES];

/**
 * All keys of `data` that are known to occur (interface.md#fields). Open: the service may send
 * others.
 */
export const KNOWN_DATA_KEYS: readonly string[] = [
	...NUMERIC_DATA_KEYS,
	'address1',
	'address2',
	'countryFull',
	'countryIso2',
	'countryIso3',
	'dob',
	'document',
	'documentNumber',
	'documentSide',
	'documentType',
	'endorsement',
	'expiry',
	'face',
	'firstName',
	'fullName',
	'hairColor',
	'height',
	'internalId',
	'issued',
	'lastName',
	'nationalityFull',
	'nationalityIso2',
	'nationalityIso3',
	'postcode',
	'restrictions',
	'sex',
	'signature',
	'stateFull',
	'stateShort',
	'vehicleClass',
	'weight',
];
