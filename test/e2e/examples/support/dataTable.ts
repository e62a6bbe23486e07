import { z } from 'zod/v4';

import type { N8nApi } from '../../../../dev/stack/api';
import { readExample } from '../../../kit/n8n/examples/example';

/** Columns that n8n adds. */
const OWN_COLUMNS = ['id', 'createdAt', 'updatedAt'];

const identified = z.object({ id: z.string() });
const tables = z.object({ data: z.array(identified.extend({ name: z.string() })) });
const rows = z.object({ data: z.array(z.record(z.string(), z.unknown())) });
const row = z.record(z.string(), z.string().nullable());
/** Texts, dates as n8n writes them into JSON, and other values as text, by column. */
export type Row = z.infer<typeof row>;

const wholeRow = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable());
/** The same, with other values as they are. */
export type WholeRow = z.infer<typeof wholeRow>;

const settings = z.object({
	tableName: z.string(),
	columns: z.object({ column: z.array(z.object({ name: z.string(), type: z.string() })) }),
});

/** The Data Table that an example makes, as a person sees and edits it in n8n. */
export class DataTable {
	/** @param made the file of the example that makes it, and its name where that makes several */
	constructor(
		private readonly api: N8nApi,
		private readonly example: string,
		private readonly made: { file?: string; tableName?: string } = {},
	) {}

	/** Makes it empty, with the columns that the node of the example makes. */
	async create(): Promise<void> {
		await this.remove();
		const { tableName: name, columns } = await this.settings();
		await this.api.post(await this.folder(), { name, columns: columns.column }, identified);
	}

	/** Removes it, if it's there. */
	async remove(): Promise<void> {
		const path = await this.path();
		if (path) await this.api.delete(path);
	}

	/** The rows in the order in which they were added. */
	async rows(): Promise<Row[]> {
		return (await this.wholeRows()).map((all) => {
			const columns = Object.entries(all)
				.filter(([name]) => !OWN_COLUMNS.includes(name))
				.map(([name, value]) => [name, value === null ? null : String(value)]);
			return row.parse(Object.fromEntries(columns));
		});
	}

	/** The same, with columns of numbers, and those that n8n adds. */
	async wholeRows(): Promise<WholeRow[]> {
		const { data } = await this.api.get(`${await this.path()}/rows?sortBy=id:asc`, rows);
		return data.map((all) => wholeRow.parse(all));
	}

	async add(...added: WholeRow[]): Promise<void> {
		const body = { data: added, returnType: 'count' };
		await this.api.post(`${await this.path()}/insert`, body, z.unknown());
	}

	/** Changes the rows that have this text in a column. */
	async change(column: string, value: string, data: WholeRow): Promise<void> {
		const filters = [{ columnName: column, condition: 'eq', value }];
		const body = { filter: { type: 'and', filters }, data };
		await this.api.patch(`${await this.path()}/rows`, body, z.unknown());
	}

	/** Adds a column of texts. */
	async addColumn(name: string): Promise<void> {
		await this.api.post(`${await this.path()}/columns`, { name, type: 'string' }, z.unknown());
	}

	private async path(): Promise<string | undefined> {
		const [folder, { tableName }] = [await this.folder(), await this.settings()];
		const table = (await this.api.get(folder, tables)).data.find(({ name }) => name === tableName);
		return table && `${folder}/${table.id}`;
	}

	private async folder(): Promise<string> {
		const { id } = await this.api.get('/projects/personal', identified);
		return `/projects/${id}/data-tables`;
	}

	private async settings() {
		const { file = 'workflow.json', tableName: named } = this.made;
		const { nodes } = await readExample(`${this.example}/${file}`);
		const node = nodes.find(({ parameters: { tableName } }) =>
			named ? tableName === named : tableName,
		);
		return settings.parse(node?.parameters);
	}
}

/** The table of an example, which is as new for each test. */
export function useTable(api: N8nApi, example: string): DataTable {
	const table = new DataTable(api, example);
	beforeEach(async () => await table.create());
	afterAll(async () => await table.remove());
	return table;
}
