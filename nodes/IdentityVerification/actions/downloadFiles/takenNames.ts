import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isRecord } from '../../contract/json';
import { keepsFilesInJson } from '../../n8n';

/** What an item's own files are called, so that none of them is replaced. */
export interface TakenNames {
	/** Binary fields. */
	fields: string[];
	fileNames: string[];
}

/** Reads them from where n8n keeps an item's files, which can be its JSON. */
export function takenNames(
	context: IExecuteFunctions,
	{ json, binary = {} }: INodeExecutionData,
): TakenNames {
	const inJson = keepsFilesInJson(context) && isRecord(json._files) ? json._files : {};
	const files = Object.entries({ ...inJson, ...binary });
	return {
		fields: files.map(([field]) => field),
		fileNames: files.map(([, file]) => (isRecord(file) ? String(file.fileName ?? '') : '')),
	};
}
