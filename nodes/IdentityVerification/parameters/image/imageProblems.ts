import type { IBinaryData } from 'n8n-workflow';

import { inOneLine, nameOfCharacter } from '../../contract/text';
import { nodeError } from '../../errors/nodeErrors';
import type { NodeError } from '../../errors/nodeErrors';
import type { FileKind } from '../../fileKind';
import type { ConnectedItem } from '../../item';
import type { Base64Refusal } from './base64';

/** An image of an item, and where the user says it is. */
export interface ImagePlace extends ConnectedItem {
	/** How a message begins, such as `The document image`. */
	subject: string;
	/** The parameter that says where the image is, in quotation marks. */
	field: string;
	/** Whether it names a file, and isn't the image itself as base64 text. */
	isFile: boolean;
	/**
	 * The name of the file's field, if the user has entered it. Undefined for an expression, because
	 * its value may be personal data.
	 */
	entered?: string;
}

/** Why an image can't be sent. */
export type ImageProblem =
	| Base64Refusal
	| Exclude<FileKind, 'image'>
	| 'notText'
	| 'notBase64'
	| 'tooSmall'
	| 'missing'
	| 'unreadable'
	| 'empty'
	| 'cutOff';

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

interface Wording {
	/** What is wrong, after the subject. */
	problem: string;
	/** What to do, unless the parameter or the item is to blame. */
	advice?: string;
	/** Whether the size helps to find the cause. */
	isMeasured?: true;
}

/** What users read. */
const WORDINGS: Record<ImageProblem, Wording> = {
	notText: { problem: 'is an object, not base64 text', advice: USE_THE_FILE },
	notBase64: {
		problem: 'has content that is not base64 text',
		advice: "In a Code node, write buffer.toString('base64') as the file's data.",
	},
	tooSmall: { problem: 'is too small to be an image', isMeasured: true },
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
	empty: { problem: 'is empty' },
	pdf: { problem: 'is a PDF file, not an image', advice: USE_AN_IMAGE },
	text: { problem: 'is a text file, not an image', advice: USE_AN_IMAGE },
	unknown: { problem: 'is not in a supported image format', advice: USE_AN_IMAGE },
	cutOff: {
		problem: 'is cut off',
		advice: `${GET_IT_WHOLE} If your service can read it, switch on 'Send Other File Types' in the options.`,
		isMeasured: true,
	},
};

/** The error for an image that can't be sent. Nothing was sent for its item. */
export function unusable(
	place: ImagePlace,
	problem: ImageProblem,
	{ size, found = '' }: Details = {},
): NodeError {
	const { subject, field, isFile } = place;
	const {
		problem: wording,
		isMeasured,
		advice = `Check ${field}, and where the item comes from.`,
	} = WORDINGS[problem];
	const what = wording.replace('{found}', () => nameOfCharacter(found));
	const unit = isFile ? 'bytes' : 'characters';
	const measured = isMeasured && size ? ` (${size.toLocaleString('en-US')} ${unit})` : '';
	return nodeError(place, {
		message: `${subject} ${what}${measured}. ${whereItIs(place)}`,
		advice,
		charge: 'none',
	});
}

/** An agent's model must not choose which file is sent; only the user's own expression may. */
export function needsExpression({ subject, field, ...item }: ImagePlace): NodeError {
	return nodeError(item, {
		message: `${subject} is missing: AI agents can't pass files to tools. Set ${field} to an expression`,
		advice: "Name the file of an earlier node, such as {{ $('Form').item.binary.data }}.",
		charge: 'none',
	});
}

/**
 * Which parameter was read, and the item's binary fields. Nothing of an agent's item is quoted,
 * because the model has filled it in.
 */
function whereItIs({
	context,
	itemIndex,
	isAgentTool,
	field,
	isFile,
	entered,
}: ImagePlace): string {
	if (!isFile) return `It comes from ${field}`;
	const set = entered === undefined ? 'an expression' : `"${forMessage(entered)}"`;
	const where = `${field} is set to ${set}`;
	if (isAgentTool) return where;
	const fields = Object.keys(context.getInputData()[itemIndex]?.binary ?? {}).map(forMessage);
	const list = fields.length > 0 ? `these binary fields: ${fields.join(', ')}` : 'no binary fields';
	return `${where}. The item has ${list}`;
}

/**
 * An agent's model doesn't get the name, which can be personal data: what it learns is the user's
 * decision.
 */
export function fileNameOf(
	{ isAgentTool }: ConnectedItem,
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
