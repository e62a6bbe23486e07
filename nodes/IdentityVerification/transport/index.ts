export { call } from './call';
export type { CallOptions } from './call';
export { imagesOf } from './body';
export type { Image, RequestFields } from './body';
export { download } from './download';
export {
	NotStarted,
	failedAfterwards,
	fileNotFetched,
	idText,
	mayBeCharged,
	restoreFailure,
	storeFailure,
} from './errors';
export type { StoredFailure } from './errors';
export { MOST_OPEN } from './pace/gate';
export type { PacedRun } from './pace/gate';
export { Progress } from './pace/progress';
export type { Connection } from './request';
