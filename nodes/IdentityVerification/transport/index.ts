export { call } from './call';
export type { CallOptions } from './call';
export type { Connection } from './connection';
export { imagesOf } from './body';
export type { Image, RequestFields } from './body';
export { download } from './download';
export {
	NotStarted,
	failedAfterwards,
	fileNotFetched,
	mayBeCharged,
	restoreFailure,
	storeFailure,
} from './errors';
export type { StoredFailure } from './errors';
export { MOST_OPEN } from './gate';
export type { PacedRun } from './gate';
export { Progress } from './progress';
