import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { picture } from '../test/kit/data/picture';

/** Images in a folder of their own. */
export interface Images {
	/** Finds them all. */
	pattern: string;
	files: string[];
	/** Of each. */
	bytes: number;
	remove(): Promise<void>;
}

/** Writes different files that look like photographs and compress as badly. */
export async function writeImages(parent: string, count: number, bytes: number): Promise<Images> {
	const folder = join(parent, `${count}-of-${bytes}`);
	await mkdir(folder, { recursive: true });
	const files: string[] = [];
	for (let index = 0; index < count; index++) {
		const file = join(folder, `${String(index).padStart(5, '0')}.jpg`);
		await writeFile(file, picture(bytes));
		files.push(file);
	}
	return {
		pattern: join(folder, '*.jpg'),
		files,
		bytes,
		remove: async () => await rm(folder, { recursive: true }),
	};
}
