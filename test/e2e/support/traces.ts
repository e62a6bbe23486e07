import { execFile } from 'node:child_process';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { N8N_NODE } from '../../../dev/stack/paths';

/** The package itself, as it was packed and as it is installed. */
const NOT_TRACES = ['package', join('.n8n', 'nodes')];

// The raw files hold deleted rows too, but cut longer texts into pages: both ways are needed. The
// timeout waits while n8n moves its write-ahead log into the database.
const PRINT_ROWS = `
	const { DatabaseSync } = require('node:sqlite');
	const database = new DatabaseSync(process.argv[1], { readOnly: true, timeout: 10_000 });
	const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
	for (const { name } of tables) {
		for (const row of database.prepare('select * from "' + name + '"').iterate()) {
			process.stdout.write(Object.values(row).join('\\n') + '\\n');
		}
	}`;

/** All that an n8n has kept or printed until now. */
export class Traces {
	private constructor(private readonly places: Map<string, Buffer>) {}

	/**
	 * Reads n8n's user folder: database with its write-ahead log, binary data, event log, and what
	 * n8n has printed.
	 */
	static async in(folder: string): Promise<Traces> {
		const entries = await readdir(folder, { recursive: true, withFileTypes: true });
		const files = entries
			.filter((entry) => entry.isFile())
			.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
			.filter((file) => !NOT_TRACES.some((part) => file.startsWith(`${part}/`)));
		const places = new Map<string, Buffer>();
		// n8n removes files while it runs.
		for (const file of files) {
			places.set(file, await readFile(join(folder, file)).catch(() => Buffer.alloc(0)));
		}
		places.set('rows of the database', await databaseRows(folder));
		return new Traces(places);
	}

	/** Those of the values that are anywhere, each with its place, also escaped for JSON or a URL. */
	find(values: string[]): string[] {
		return values.flatMap((value) => {
			const json = JSON.stringify(value).slice(1, -1);
			const forms = [...new Set([value, json, encodeURIComponent(value)])];
			return [...this.places]
				.filter(([, content]) => forms.some((form) => content.includes(form)))
				.map(([place]) => `${value} in ${place}`);
		});
	}

	/** Those of the values that are nowhere. */
	missing(values: string[]): string[] {
		return values.filter((value) => this.find([value]).length === 0);
	}
}

/** The values of all rows of n8n's database as text. */
async function databaseRows(folder: string): Promise<Buffer> {
	const args = ['-e', PRINT_ROWS, join(folder, '.n8n', 'database.sqlite')];
	const { stdout } = await promisify(execFile)(N8N_NODE, args, {
		encoding: 'buffer',
		maxBuffer: 1024 ** 3,
	});
	return stdout;
}
