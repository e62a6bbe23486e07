export { call } from './call';
export type { Result } from './call';
export type { Connection } from './connection';
export type { Image, WithImages } from './body';
export { download } from './download';
export { fileNotFetched, mayBeCharged } from './errors';
export { Pause } from './pause';
