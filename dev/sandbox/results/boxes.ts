import type { Box } from '../interface';

/** x, y, width and height in pixels on the specimen picture of 1012 x 638 pixels. */
const PLACES: Record<string, [number, number, number, number]> = {
	document: [0, 0, 1012, 638],
	face: [48, 168, 262, 330],
	signature: [48, 520, 262, 72],
	documentNumber: [350, 150, 300, 40],
	lastName: [350, 206, 320, 36],
	firstName: [350, 244, 320, 36],
	fullName: [350, 206, 320, 74],
	address1: [350, 290, 420, 30],
	address2: [350, 322, 420, 30],
	postcode: [560, 322, 90, 30],
	stateShort: [515, 322, 38, 30],
	dob: [350, 372, 180, 36],
	sex: [560, 372, 40, 36],
	issued: [350, 430, 180, 34],
	expiry: [560, 430, 180, 34],
	vehicleClass: [770, 150, 60, 36],
	endorsement: [350, 488, 100, 30],
	restrictions: [470, 488, 100, 30],
	hairColor: [590, 488, 60, 30],
	height: [670, 488, 100, 30],
	weight: [790, 488, 100, 30],
};

/** Where the card lies on the photo that the user sent. */
const PHOTO_MARGIN = { x: 118, y: 204 };

/** The boxes of a field, for fields that are located on the image (interface.md#fields). */
export function boxesOf(field: string): { inputBox?: Box; outputBox?: Box } {
	const place = PLACES[field];
	if (!place) return {};
	const [x, y, width, height] = place;
	const inputBox = rectangle(x + PHOTO_MARGIN.x, y + PHOTO_MARGIN.y, width, height);
	return { inputBox, outputBox: rectangle(x, y, width, height) };
}

function rectangle(x: number, y: number, width: number, height: number): Box {
	return [
		[x, y],
		[x + width, y],
		[x + width, y + height],
		[x, y + height],
	];
}
