import { z } from 'zod/v4';

import type { Execution } from '../../../dev/stack/execution';

const files = z.record(
	z.string(),
	z.object({ id: z.string(), data: z.string(), mimeType: z.string(), fileName: z.string() }),
);
type Files = z.infer<typeof files>;

/** The files of the first item that a node returned, by binary field. */
export function filesOf({ data }: Execution, node: string): Partial<Files> {
	const [item] = (data[node]?.[0]?.data?.main ?? []).flatMap((items) => items ?? []);
	return files.parse(item?.binary);
}
