import { Readable } from 'node:stream';

import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { BinaryData } from 'n8n-core';
import type { IBinaryData, IBinaryKeyData } from 'n8n-workflow';

import { Container } from './container';

/**
 * n8n's names: `default` keeps binary data in memory, `filesystem` is what a new n8n does. `s3` is
 * every store that streams over a network, in chunks of any size.
 */
export type BinaryMode = 'default' | 'filesystem' | 's3';

const NETWORK_CHUNK_BYTES = 1_459;

export interface TestFile {
	content: Buffer;
	fileName?: string;
	mimeType?: string;
}

interface Location {
	workflowId: string;
	executionId: string;
}

/**
 * The chunks in which a network store hands a file out that is opened for the nth time, from 1 on.
 */
export type ChunksOf = (content: Buffer, time: number) => Iterable<Buffer>;

export async function setBinaryMode(mode: BinaryMode, chunksOf: ChunksOf = pieces): Promise<void> {
	Container.get(BinaryDataConfig).mode = mode;
	const service = Container.get(BinaryDataService);
	await service.init();
	const { filesystem } = service['managers'];
	if (mode === 's3' && filesystem) service.setManager('s3', networkStore(filesystem, chunksOf));
}

function networkStore(store: BinaryData.Manager, chunksOf: ChunksOf): BinaryData.Manager {
	const times = new Map<string, number>();
	const getAsStream = async (id: string) => {
		const time = (times.get(id) ?? 0) + 1;
		times.set(id, time);
		return Readable.from(chunksOf(await store.getAsBuffer(id), time), { objectMode: false });
	};
	return Object.assign(Object.create(store) as BinaryData.Manager, { getAsStream });
}

/** The first is as small as can be. */
function* pieces(content: Buffer): Generator<Buffer> {
	if (content.length > 0) yield content.subarray(0, 1);
	for (let at = 1; at < content.length; at += NETWORK_CHUNK_BYTES) {
		yield content.subarray(at, at + NETWORK_CHUNK_BYTES);
	}
}

/** Stores a file as the node before would have. */
export async function storeFile(
	{ content, fileName = 'document.jpg', mimeType = 'image/jpeg' }: TestFile,
	location: Location,
): Promise<IBinaryData> {
	return await Container.get(BinaryDataService).store({ type: 'execution', ...location }, content, {
		data: '',
		fileName,
		mimeType,
	});
}

/** Reads the files of an item back from where n8n keeps them. */
export async function readFiles(binary: IBinaryKeyData = {}): Promise<Record<string, TestFile>> {
	const files = Object.entries(binary).map(async ([name, data]) => [
		name,
		{
			content: await Container.get(BinaryDataService).getAsBuffer(data),
			fileName: data.fileName,
			mimeType: data.mimeType,
		},
	]);
	return Object.fromEntries(await Promise.all(files)) as Record<string, TestFile>;
}
