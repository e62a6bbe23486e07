import { z } from 'zod/v4';

import type { N8nApi } from '../../../dev/stack/api';

const identified = z.object({ id: z.string() });
const tables = z.object({ data: z.array(identified.extend({ name: z.string() })) });
const rows = z.object({ data: z.array(z.record(z.string(), z.unknown())) });

/** The rows of a Data Table, in the order in which they were added. */
export async function rowsOf(api: N8nApi, tableName: string): Promise<Record<string, unknown>[]> {
	const path = await pathOf(api, tableName);
	if (!path) throw new Error(`There is no Data Table ${tableName}.`);
	return (await api.get(`${path}/rows?sortBy=id:asc`, rows)).data;
}

/** Deletes a Data Table, if there is one of this name. */
export async function deleteTable(api: N8nApi, tableName: string): Promise<void> {
	const path = await pathOf(api, tableName);
	if (path) await api.delete(path);
}

/** Where n8n has a Data Table; undefined if there is none of this name. */
export async function pathOf(api: N8nApi, tableName: string): Promise<string | undefined> {
	const path = await tablesPath(api);
	const table = (await api.get(path, tables)).data.find(({ name }) => name === tableName);
	return table && `${path}/${table.id}`;
}

/** Where n8n has the Data Tables of its owner. */
export async function tablesPath(api: N8nApi): Promise<string> {
	const { id } = await api.get('/projects/personal', identified);
	return `/projects/${id}/data-tables`;
}
