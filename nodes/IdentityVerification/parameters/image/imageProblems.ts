import type { IBinaryData, NodeOperationError } from 'n8n-workflow';

import { inOneLine, nameOfCharacter } from '../../contract/text';
import { itemError } from '../../errors/nodeErrors';
import type { ConnectedItem } from '../../item';
import type { Base64Refusal } from './base64';
import type { FileKind } from './kind';

/** What the parameters of an image, and the image itself, are read from. */
export type ImageItem = Pick<ConnectedItem, 'context' | 'itemIndex' | 'isAgentTool' | 'timeoutMs'>;

/** An image of an item, and where the user says it is. */
export interface ImagePlace extends ImageItem {
	/** How a message begins, such as `The document image`. */
	subject: string;
	/** The parameter that says where the image is, in quotation marks. */
	field: string;
	/** What that parameter evaluates to. */
	given: { kind: 'text' } | GivenFile;
}

interface GivenFile {
	kind: 'file';
	/** Undefined if there is no file. */
	file: IBinaryData | undefined;
	/**
	 * The name that the user has entered. Undefined for an expression, because its value may be
	 * personal data.
	 */
	entered: string | undefined;
}

/** Why an image can't be sent. */
export type ImageProblem =
	| Base64Refusal
	| Exclude<FileKind, 'image'>
	| 'notText'
	| 'missing'
	| 'unreadable'
	| 'empty'
	| 'cutOff'
	| 'withoutEnd';

/** What a message says about an image besides its problem. */
interface Details {
	/**
	 * In characters for a text, in bytes for a file; required where it helps to find the cause.
	 */
	size?: number;
	/** The character that can't be sent. */
	found?: string;
}

const MAX_NAME_LENGTH = 100;

const USE_AN_IMAGE =
	"Supported image formats are JPEG, PNG, WebP, GIF, BMP, TIFF, HEIC and AVIF. If your service accepts other files, too, switch on 'Send Other File Types' in the options.";

const USE_THE_FILE =
	"To send a file, choose Binary Field as the source: an expression cannot read a file's content.";

const GET_IT_WHOLE =
	'It was probably cut short on its way, for example by the length limit of a database column or a spreadsheet cell. Use the complete image.';

const EMPTY_BEFORE =
	'The file was empty before it reached this node. Check where it comes from, such as the upload.';

const NO_FILE_ARRIVED =
	'Check where the item comes from: an upload of 0 bytes, for example, arrives without a binary field.';

interface Wording {
	/** What is wrong, after the subject. */
	problem: string;
	/** What to do, unless it depends on the place. */
	advice?: string;
	/** Whether the size helps to find the cause. */
	isMeasured?: true;
}

/** What users read. */
const WORDINGS: Record<ImageProblem, Wording> = {
	notText: { problem: 'is an object, not base64 text', advice: USE_THE_FILE },
	tooShort: { problem: 'is too short to be an image', advice: USE_THE_FILE },
	otherDataUri: {
		problem: 'is a data URI without base64 text',
		advice: 'Send base64 text, or a data URI that begins like data:image/jpeg;base64,/9j/4AAQ.',
	},
	foreign: {
		problem: 'contains {found}, which base64 text cannot contain',
		advice: `Use the text as it was encoded, without spaces, quotation marks and percent signs. A form that is sent without percent-encoding turns each + into a space. ${USE_THE_FILE}`,
	},
	damaged: {
		problem: 'is damaged base64 text',
		advice:
			'It has = before its end, or + or / beside - or _. It may be two texts joined together: use one image.',
	},
	incomplete: {
		problem: 'is incomplete base64 text',
		advice: `${GET_IT_WHOLE} If its encoder leaves out the padding, add = until its length is a multiple of 4.`,
		isMeasured: true,
	},
	missing: { problem: 'is missing' },
	unreadable: { problem: "cannot be read from n8n's storage" },
	empty: { problem: 'is empty', isMeasured: true },
	pdf: { problem: 'is a PDF file, not an image', advice: USE_AN_IMAGE },
	text: { problem: 'is a text file, not an image', advice: USE_AN_IMAGE },
	unknown: { problem: 'is not in a supported image format', advice: USE_AN_IMAGE },
	cutOff: { problem: 'is cut off', advice: GET_IT_WHOLE, isMeasured: true },
	withoutEnd: {
		problem: 'is cut off',
		advice: `${GET_IT_WHOLE} If your camera leaves out the end of its JPEG files, switch on 'Send Other File Types' in the options.`,
		isMeasured: true,
	},
};

/** The error for an image that can't be sent. Nothing was sent for its item. */
export function unusable(
	place: ImagePlace,
	problem: ImageProblem,
	{ size, found = '' }: Details = {},
): NodeOperationError {
	const { subject } = place;
	const { problem: wording, advice = whatToCheck(place, problem), isMeasured } = WORDINGS[problem];
	const what = wording.replace('{found}', () => nameOfCharacter(found));
	const where = whereItIs(place, isMeasured ? size : undefined);
	return itemError(place, `${subject} ${what}. ${where}`, advice);
}

/** An agent's model must not choose which file is sent; only the user's own expression may. */
export function needsExpression({ subject, field, ...item }: ImagePlace): NodeOperationError {
	return itemError(
		item,
		`${subject} is missing: AI agents can't pass files to tools. Set ${field} to an expression`,
		"Name the file of an earlier node, such as {{ $('Form').item.binary.data }}.",
	);
}

/** If a file is empty or missing, the parameter may not be to blame. */
function whatToCheck(place: ImagePlace, problem: ImageProblem): string {
	const { isAgentTool, field, given } = place;
	if (given.kind === 'file' && !isAgentTool) {
		if (problem === 'empty') return EMPTY_BEFORE;
		const isForThisItem = problem === 'missing' && given.entered;
		if (isForThisItem && fieldsOf(place).length === 0) return NO_FILE_ARRIVED;
	}
	return `Check ${field}.`;
}

function whereItIs(place: ImagePlace, size: number | undefined): string {
	const { field, given } = place;
	if (given.kind === 'file') return whereFileIs(place, given, size);
	return `It comes from ${field}${size ? `, whose text has ${inThousands(size)} characters` : ''}`;
}

function whereFileIs(place: ImagePlace, { file, entered }: GivenFile, size?: number): string {
	const { isAgentTool, field } = place;
	const bytes = size === undefined ? '' : ` of ${inThousands(size)} bytes`;
	// The items of an agent's tool contain what the model has filled in, so nothing of them is
	// quoted.
	if (isAgentTool)
		return `${field} ${file ? `points to this file${bytes}` : 'does not name a file'}`;
	const fields = fieldsOf(place);
	const list = `these binary fields: ${fields.join(', ')}`;
	if (!file && entered && !fields.includes(entered)) {
		const others = fields.length > 0 ? `only ${list}` : 'no binary fields';
		return `${field} is set to "${forMessage(entered)}", but the item has ${others}`;
	}
	const name = fileNameOf(place, file);
	const called = name ? `"${name}"` : 'a file without a name';
	const where = `${field} ${file ? `points to ${called}${bytes}` : 'does not name a file'}`;
	return `${where}. The item has ${fields.length > 0 ? list : 'no binary fields'}`;
}

function fieldsOf({ context, itemIndex }: ImagePlace): string[] {
	return Object.keys(context.getInputData()[itemIndex]?.binary ?? {}).map(forMessage);
}

/**
 * An agent's model doesn't get the name, which can be personal data: what it learns is the user's
 * decision.
 */
export function fileNameOf(
	{ isAgentTool }: ImageItem,
	file: IBinaryData | undefined,
): string | undefined {
	const name: unknown = file?.fileName;
	return typeof name === 'string' && !isAgentTool ? forMessage(name) : undefined;
}

/**
 * Puts a text into one line, shortens it, and removes the quotation marks that would end it in a
 * message.
 */
export function forMessage(text: string): string {
	const name = inOneLine(text.slice(0, 10 * MAX_NAME_LENGTH).replaceAll('"', ' '));
	return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}

/** Such as `65,535`. */
function inThousands(count: number): string {
	return count.toLocaleString('en-US');
}
