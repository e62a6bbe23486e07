import { z } from 'zod/v4';

import type { N8nApi } from '../../../dev/stack/api';
import { deleteTable, pathOf, tablesPath } from './dataTable';
import { readExample } from './example';

const DATA_TABLE = 'n8n-nodes-base.dataTable';

const identified = z.object({ id: z.string() });

/** A row of the case list; dates as n8n writes them into JSON. */
const row = z.object({
	customData: z.string(),
	reference: z.string().nullable(),
	url: z.string().nullable(),
	state: z.string(),
	since: z.string(),
	reminded: z.string().nullable(),
	documentExpires: z.string().nullable(),
});
export type CaseRow = z.infer<typeof row>;
const rows = z.object({ data: z.array(row) });

const tableNode = z.object({
	tableName: z.string(),
	columns: z.object({ column: z.array(z.object({ name: z.string(), type: z.string() })) }),
});

/** The Data Table of the examples, as a person sees and edits it in n8n. */
export class CaseList {
	private path = '';

	constructor(private readonly api: N8nApi) {}

	/** Makes an empty table, with the columns that the node of the example makes. */
	async create(): Promise<void> {
		await this.remove();
		const { tableName: name, columns } = await this.settings();
		const path = await tablesPath(this.api);
		const { id } = await this.api.post(path, { name, columns: columns.column }, identified);
		this.path = `${path}/${id}`;
	}

	/** Removes the table, if there is one. */
	async remove(): Promise<void> {
		await deleteTable(this.api, (await this.settings()).tableName);
	}

	/** Opens the table that an example has made. */
	async open(): Promise<void> {
		this.path = (await pathOf(this.api, (await this.settings()).tableName)) ?? '';
	}

	/** The rows in the order in which they were added. */
	async rows(): Promise<CaseRow[]> {
		return (await this.api.get(`${this.path}/rows?sortBy=id:asc`, rows)).data;
	}

	/** Adds a row: a link that was sent now, unless the values say otherwise. */
	async add(values: Partial<CaseRow> & Pick<CaseRow, 'customData'>): Promise<void> {
		const added = { state: 'link sent', since: new Date().toISOString(), reference: '', ...values };
		const body = { data: [added], returnType: 'count' };
		await this.api.post(`${this.path}/insert`, body, z.unknown());
	}

	/** Changes the row of a person. */
	async change(customData: string, data: Partial<CaseRow>): Promise<void> {
		const filters = [{ columnName: 'customData', condition: 'eq', value: customData }];
		const body = { filter: { type: 'and', filters }, data, returnData: false };
		await this.api.patch(`${this.path}/rows`, body, z.unknown());
	}

	/** Adds a column of texts. */
	async addColumn(name: string): Promise<void> {
		const column = { name, type: 'string' };
		await this.api.post(`${this.path}/columns`, column, z.unknown());
	}

	private async settings() {
		const { nodes } = await readExample('case-list/workflow.json');
		const made = nodes.find(({ type, parameters }) => type === DATA_TABLE && parameters.tableName);
		return tableNode.parse(made?.parameters);
	}
}

/** An empty case list for each test of a file. */
export function useCaseList(api: N8nApi): CaseList {
	const caseList = new CaseList(api);
	beforeEach(async () => await caseList.create());
	afterAll(async () => await caseList.remove());
	return caseList;
}

/** So many days before now, or after it if the number is negative. */
export function daysAgo(days: number): string {
	return new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
}
